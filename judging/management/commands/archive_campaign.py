from typing import Any

from config.commands.console import CommandParser
from judging.launch.archive import archive, restore as put_back
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign


class Command(CampaignCommand):
    help = "Archive a draft or a closed campaign, or restore it. Lists show it under Archived; nothing is deleted."
    example = 'manage.py archive_campaign spring --why "replaced by second"'
    why = "kept in the campaign's log"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--restore", action="store_true", help="restore an archived campaign")

    def act_on(self, found: Campaign, *, restore: bool, why: str, **options: Any) -> dict[str, Any]:
        (put_back if restore else archive)(found, why=why, who=self.who)
        return {"campaign": found.name, "state": found.state, "archived": found.archived_at is not None}
