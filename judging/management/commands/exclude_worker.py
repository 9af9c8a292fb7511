"""`manage.py exclude_worker`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.models import Submission
from judging.services.campaigns import campaign_named
from judging.services.reinstating import exclude_worker, worker_of


class Command(BaseCommand):
    help = (
        "Exclude a worker: no judgment of theirs in this campaign counts, and others repeat their tasks. "
        "They are paid all the same; reinstate_worker takes it back."
    )
    example = 'manage.py exclude_worker first 12 --why "chose the left one 60 times in a row"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "worker", help="our number of the worker (campaign_status shows it), or the id at the crowd"
        )
        parser.add_argument("--why", required=True, help="the reason; kept with the decision")

    def act(self, *, campaign: str, worker: str, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        one = worker_of(found, worker)
        exclusion = exclude_worker(found, one, why=why, who=getpass.getuser())
        return {
            "campaign": found.name,
            "worker": one.pk,
            "judgments_that_count_no_more": found.judgments.filter(worker=one).count(),
            "tasks_still_open": found.submissions.filter(worker=one, state=Submission.State.HELD).count(),
            "reason": exclusion.reason,
            "next": f"manage.py collect {found.name} offers the tasks again; make run does so by itself.",
        }
