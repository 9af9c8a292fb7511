"""`manage.py forget_worker`: erase what links a worker to a person."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.services.rights import find_worker, forget_worker


class Command(BaseCommand):
    help = (
        "Erase the worker's ids at the crowd, assignments, comments and messages. Judgments stay, as anonymous ones; "
        "to take them out too, withdraw_worker first. What was erased is recorded. The crowd still knows the worker. "
        "Who was excluded is not refused any more when they come again: nothing is kept to know them by."
    )
    example = "manage.py forget_worker A3EXAMPLE000001"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("worker", help="our number of the worker, or the id at the crowd")
        parser.add_argument(
            "--why", default="", help="kept with the record for good: no names, addresses or ids"
        )

    def act(self, *, worker: str, why: str, **options: Any) -> dict[str, Any]:
        found = find_worker(worker)
        return {"worker": found.pk, **forget_worker(found, who=getpass.getuser(), why=why)}
