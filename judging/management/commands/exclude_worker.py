"""`manage.py exclude_worker`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
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
        parser.add_argument("worker", type=int, help="the worker's number, as campaign_status shows it")
        parser.add_argument("--why", required=True, help="the reason; kept with the decision")

    def act(self, *, campaign: str, worker: int, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        exclusion = exclude_worker(found, worker_of(found, worker), why=why, who=getpass.getuser())
        return {
            "campaign": found.name,
            "worker": worker,
            "excluded": found.judgments.filter(worker=worker).count(),
            "reason": exclusion.reason,
            "next": f"manage.py collect {found.name} offers the tasks again; make run does so by itself.",
        }
