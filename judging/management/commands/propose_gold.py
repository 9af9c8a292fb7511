from typing import Any

from config.commands.console import CommandParser
from config.plurals import many
from judging.campaign.gold_pairs import needed_gold
from judging.campaign.gold_proposals import propose_gold
from judging.campaign.strategy_figures import proposals_warning
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign, GoldPair


class Command(CampaignCommand):
    help = (
        "Propose gold pairs: a known relevant passage and one that does not answer the question, "
        "chosen so that the pairs look like the campaign's other pairs."
    )
    example = "manage.py propose_gold spring --qrels graded"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--qrels",
            default="",
            metavar="SET",
            help="labels with the known answers; graded labels give the best pairs (default: the pool's)",
        )

    def act_on(self, found: Campaign, *, qrels: str, **options: Any) -> dict[str, Any]:
        proposed = propose_gold(found, qrels=qrels)
        waiting = found.gold_pairs.filter(state=GoldPair.State.PROPOSED).count()
        accepted = found.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
        needed = needed_gold(found)
        if waiting + accepted < needed:
            self.note(
                f"Only {many(waiting + accepted, 'distinct gold pair is', 'distinct gold pairs are')} available, and "
                f"{many(needed, 'is', 'are')} needed. Lower the tasks per worker in the campaign's settings, or add "
                f"your own with manage.py import_gold {found.name} FILE."
            )
        if told := proposals_warning(found):
            self.note(f"About these gold pairs: {told}.")
        hard = found.gold_pairs.filter(kind=GoldPair.Kind.HARD).exclude(state=GoldPair.State.DROPPED).count()
        return {
            "proposed": proposed,
            "hard": hard,
            "waiting": waiting,
            "accepted": accepted,
            "needed": needed,
        }
