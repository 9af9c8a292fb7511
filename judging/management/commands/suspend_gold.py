from typing import Any

from config.commands.console import CommandParser
from judging.errors import BadInput
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.people.gold_suspension import suspend_gold_pair


class Command(CampaignCommand):
    help = (
        "Suspend a gold pair: no more tasks get it, and workers excluded only because of it are reinstated. Their "
        "work counts again unless somebody has repeated it. The collect command suspends a gold pair automatically "
        "if too many workers fail it who pass all their other gold pairs."
    )
    example = 'manage.py suspend_gold spring 17 --why "the off-topic passage answers the question too"'
    why = "the reason; kept with the decision"
    why_required = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("gold_pair", type=int, help="its number (see campaign_status)")

    def act_on(self, found: Campaign, *, gold_pair: int, why: str, **options: Any) -> dict[str, Any]:
        gold = found.gold_pairs.filter(pk=gold_pair).first()
        if gold is None:
            raise BadInput(f"{found.name} has no gold pair {gold_pair}.")
        done = suspend_gold_pair(found, gold, why=why, who=self.who)
        return {
            "campaign": found.name,
            "gold_pair": done.gold_pair,
            "reinstated": done.reinstated,
            "reopened": done.reopened,
        }
