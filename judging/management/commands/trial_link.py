"""`manage.py trial_link`: make a link with which a reviewer tries a task."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from judging.campaign.campaigns import campaign_named
from judging.page.trials import trial_link


class Command(BaseCommand):
    help = (
        "Create a link for reviewers, such as an ethics board, to do one timed task on the real pages. "
        "The work does not count and is not paid. The last page shows the time taken and what it would have paid."
    )
    example = "manage.py trial_link spring --days 14"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--days", type=int, default=14, help="how long the link works (default 14)")

    def act(self, *, campaign: str, days: int, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        link = trial_link(found, days=days, who=getpass.getuser())
        return {"campaign": found.name, "link": link.url, "expires_at": link.expires_at.isoformat()}
