"""`manage.py ask_again`: calls that the crowd refused for good, once more."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.console import Command as BaseCommand
from judging.management.commands.collect import collect_once
from judging.services.calls import ask_again
from judging.services.campaigns import campaign_named
from judging.services.status import campaign_status


class Command(BaseCommand):
    help = (
        "Try calls again that the crowd refused for good, after what it complained of was mended. "
        "Nothing that was done is done twice."
    )
    example = "manage.py ask_again first"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")

    def act(self, *, campaign: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        count = ask_again(found)
        with launcher.crowd_running(), self.progress("Asking the crowd again") as progress:
            collect_once(found, progress)
        status = campaign_status(found)
        return {"campaign": found.name, "asked_again": count, "problems": status["problems"]}
