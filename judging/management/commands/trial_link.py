from typing import Any

from config.commands.console import CommandParser
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.page.trials import trial_link


class Command(CampaignCommand):
    help = (
        "Create a link for reviewers, such as an ethics board, to do one timed task on the real pages. "
        "The work does not count and is not paid. The last page shows the time taken and what it would have paid."
    )
    example = "manage.py trial_link spring --days 14"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=14, help="how long the link works (default 14)")

    def act_on(self, found: Campaign, *, days: int, **options: Any) -> dict[str, Any]:
        link = trial_link(found, days=days, who=self.who)
        return {"campaign": found.name, "link": link.url, "expires_at": link.expires_at.isoformat()}
