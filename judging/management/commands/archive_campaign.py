"""`manage.py archive_campaign`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from judging.campaign.campaigns import campaign_named
from judging.launch.archive import archive
from judging.launch.archive import restore as put_back


class Command(BaseCommand):
    help = "Move a draft or a closed campaign out of the lists, or back into them. Nothing is deleted."
    example = 'manage.py archive_campaign spring --why "replaced by second"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--restore", action="store_true", help="put it back into the lists")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, restore: bool, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        (put_back if restore else archive)(found, why=why, who=getpass.getuser())
        return {"campaign": found.name, "state": found.state, "archived": found.archived_at is not None}
