"""`manage.py resume_campaign`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from config.process import launcher
from judging.campaign.campaigns import campaign_named, resume
from judging.management.commands.collect import collect_once


class Command(BaseCommand):
    help = "Resume a paused campaign: the remaining tasks are offered again."
    example = 'manage.py resume_campaign spring --why "holiday"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        resume(found, why=why, who=getpass.getuser())
        with launcher.crowd_running(), self.progress("Offering places") as progress:
            collect_once(found, progress)
        return {"campaign": found.name, "state": found.state}
