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
        parser.add_argument(
            "worker", help="our number of the worker (campaign_status shows it), or the id at the crowd"
        )
        parser.add_argument("--why", required=True, help="the reason; kept with the decision")

    def act(self, *, campaign: str, worker: str, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        one = worker_of(found, worker)
        done = reinstate_worker(found, one, why=why, who=getpass.getuser())
        return {
            "campaign": found.name,
            "worker": one.pk,
            "tasks_counted_again": done.counted,
            "tasks_surplus": done.surplus,
            "tasks_other": done.other,
        }
