"""`manage.py reject_assignment`: a person refuses to pay a submission."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.console import Command as BaseCommand
from judging.errors import CampaignRefused
from judging.services.campaigns import campaign_named
from judging.services.rejecting import WARNING, reject, submission_of


class Command(BaseCommand):
    help = (
        "Refuse to pay one submission; the worker is told the reason. Preferee itself rejects nothing. "
        "override_rejection takes it back within 30 days."
    )
    example = 'manage.py reject_assignment first 412-X9KQ2T --why "every answer was sent by a script" --yes'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("submission", help="its assignment id at the crowd, or its receipt")
        parser.add_argument("--why", required=True, help="what the worker is told; kept with the decision")
        parser.add_argument("--yes", action="store_true", help="you have read the warning")

    def act(self, *, campaign: str, submission: str, why: str, yes: bool, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        rejected = submission_of(found, submission)
        if not yes:
            raise CampaignRefused(
                f"{WARNING} Nothing was rejected.",
                f"Exclude the worker instead: manage.py exclude_worker {found.name} {rejected.worker_id}. "
                "To reject all the same, repeat the command with --yes.",
            )
        with launcher.crowd_running():
            reject(found, rejected, why=why, who=getpass.getuser())
        return {"campaign": found.name, "rejected": rejected.assignment_id, "why": why}
