"""`manage.py reinstate_worker`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from judging.campaign.campaigns import campaign_named
from judging.people.exclusions import reinstate_worker, worker_of


class Command(BaseCommand):
    help = (
        "Undo a worker's exclusion. Work that nobody has repeated counts again. If others have repeated it, "
        "theirs still counts and the reinstated judgments are kept as surplus."
    )
    example = 'manage.py reinstate_worker spring 12 --why "the gold pair was ambiguous"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "worker", help="the worker's number (see campaign_status), or their id at the crowd"
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
