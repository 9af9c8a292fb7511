"""`manage.py pause_campaign`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.background.attending import attend
from config.commands.console import Command as BaseCommand
from config.process import launcher
from judging.campaign.campaigns import campaign_named, pause
from judging.jobs import ring_to_close_places


class Command(BaseCommand):
    help = "Offer no more tasks for now. Workers who hold a task can finish it."
    example = 'manage.py pause_campaign spring --why "holiday"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        launched = found.launched_at is not None
        pause(found, why=why, who=getpass.getuser())
        if launched:
            job = ring_to_close_places(found)
            with launcher.crowd_running(), self.progress("Taking places off the crowd") as progress:
                attend(job, progress=progress)
        return {"campaign": found.name, "state": found.state}
