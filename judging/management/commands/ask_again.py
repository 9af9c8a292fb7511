"""`manage.py ask_again`: retry calls that the crowd refused permanently."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from config.process import launcher
from judging.campaign.campaigns import campaign_named
from judging.exchange.calls import allow_again
from judging.management.commands.collect import collect_once
from judging.watching.status import campaign_status


class Command(BaseCommand):
    help = (
        "Retry calls that the crowd refused permanently, once you have fixed the cause. "
        "Calls that succeeded are not repeated."
    )
    example = "manage.py ask_again spring"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")

    def act(self, *, campaign: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        count = allow_again(found)
        with launcher.crowd_running(), self.progress("Asking the crowd again") as progress:
            collect_once(found, progress)
        status = campaign_status(found)
        return {"campaign": found.name, "asked_again": count, "problems": status["problems"]}
