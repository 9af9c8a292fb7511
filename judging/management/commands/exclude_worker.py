"""`manage.py exclude_worker`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from judging.campaign.campaigns import campaign_named
from judging.models import Submission
from judging.people.exclusions import exclude_worker, worker_of


class Command(BaseCommand):
    help = (
        "Exclude a worker: none of their judgments in this campaign count, and others repeat their tasks. "
        "They are still paid. reinstate_worker undoes this."
    )
    example = 'manage.py exclude_worker spring 12 --why "chose the left one 60 times in a row"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "worker", help="the worker's number (see campaign_status), or their id at the crowd"
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
            "next": f"manage.py collect {found.name} offers the tasks again; make run does this automatically.",
        }
