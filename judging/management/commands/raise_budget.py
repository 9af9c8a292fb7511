from typing import Any

from config.commands.console import CommandParser
from judging.campaign.cost import money
from judging.management.amounts import dollars_option
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money.budget import cap_of, raise_budget


class Command(CampaignCommand):
    help = "Set a campaign's budget, fees included. Tasks that waited for money are offered at once."
    example = 'manage.py raise_budget spring 600 --why "repeats"'
    why = "kept in the campaign's log"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("amount", help="dollars, fees included")

    def act_on(self, found: Campaign, *, amount: str, why: str, **options: Any) -> dict[str, Any]:
        most = dollars_option("amount", amount)
        raise_budget(found, most, why=why, who=self.who)
        if found.state in Campaign.OFFERING:
            self.collect(found, "Offering places")
        return {
            "campaign": found.name,
            "budget": float(cap_of(found) or 0),
            "committed": float(money(found)["committed"]),
        }
