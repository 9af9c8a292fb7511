"""`manage.py reinstate_worker`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.services.campaigns import campaign_named
from judging.services.reinstating import reinstate_worker, worker_of


class Command(BaseCommand):
    help = (
        "Take a worker's exclusion back. Work that nobody has repeated counts again; where others did, "
        "theirs keeps counting and the reinstated judgments are kept as surplus."
    )
    example = 'manage.py reinstate_worker first 12 --why "the test pair was ambiguous"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("worker", type=int, help="the worker's number, as campaign_status shows it")
        parser.add_argument("--why", required=True, help="the reason; kept with the decision")

    def act(self, *, campaign: str, worker: int, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        done = reinstate_worker(found, worker_of(found, worker), why=why, who=getpass.getuser())
        return {
            "campaign": found.name,
            "worker": worker,
            "tasks_counted_again": done.counted,
            "tasks_surplus": done.surplus,
            "tasks_other": done.other,
        }
