"""`manage.py override_rejection`: pay a submission that was rejected."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from config.process import launcher
from judging.campaign.campaigns import campaign_named
from judging.management.commands.collect import collect_once
from judging.money.rejections import override_rejection, submission_of


class Command(BaseCommand):
    help = "Reverse a rejection: the reward is approved now, and the next collection pays the bonus."
    example = 'manage.py override_rejection spring 412-X9KQ2T --why "it was a person after all"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("submission", help="its assignment id at the crowd, or its receipt")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, submission: str, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        approved = submission_of(found, submission)
        with launcher.crowd_running(), self.progress("Paying") as progress:
            override_rejection(found, approved, why=why, who=getpass.getuser())
            collect_once(found, progress)
        return {"campaign": found.name, "approved": approved.assignment_id}
