from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from judging.campaign.campaigns import CampaignSettings
from judging.campaign.cost import quote_tasks
from judging.campaign.gold_pairs import needed_gold
from judging.management.amounts import dollars_option
from judging.models import Campaign
from leaderboard.analyses.better_than_perfect.analysis import ask_better_than_perfect
from leaderboard.analyses.better_than_perfect.computation import Category
from leaderboard.scoring.chosen_runs import chosen_runs, official_set
from pooling.collections.lookups import collection_named


class Command(BaseCommand):
    help = (
        "Create a campaign that asks, for every query, whether people prefer the known relevant passage (qrel) or a "
        "run's passage: its second passage if the qrel is on top, else its top passage. The campaign is a draft: add "
        "gold pairs and launch it like any other, then run better_than_perfect."
    )
    example = "manage.py ask_better_than_perfect vs-qrels --collection mine --run bert --judgments-per-pair 1"

    def arguments(self, parser: CommandParser) -> None:
        defaults = CampaignSettings()
        parser.add_argument("name", help="name of the campaign and of its pool")
        parser.add_argument("--collection", required=True, help="name of the collection")
        parser.add_argument("--run", required=True, metavar="TAG", help="the run")
        parser.add_argument("--official", metavar="SET", help="the qrel set (default: the leaderboard's)")
        parser.add_argument(
            "--sample", type=int, metavar="N", help="only this many queries, drawn with --seed"
        )
        for name, words in (
            ("judgments-per-pair", "judgments per pair, each by a different worker"),
            ("pairs-per-task", "pairs per task, without gold pairs"),
            ("gold-per-task", "hidden gold pairs added to each task"),
            ("max-tasks-per-worker", "maximum number of tasks per worker"),
            ("seed", "seed for the sample, packing, order and sides"),
        ):
            default = getattr(defaults, name.replace("-", "_"))
            parser.add_argument(f"--{name}", type=int, default=default, help=f"{words} (default {default})")
        parser.add_argument(
            "--reward", default=str(defaults.reward), help="payment per task in dollars (default 2.00)"
        )
        parser.add_argument("--screen", choices=Campaign.Screen.values, default=defaults.screen)
        parser.add_argument("--allow-undecided", action="store_true", help='offer "Cannot decide"')
        parser.add_argument(
            "--placeholder-text",
            action="store_true",
            help="rehearsal: show placeholders for passages without text, to simulated workers only",
        )

    def act(
        self,
        *,
        name: str,
        collection: str,
        run: str,
        official: str | None,
        sample: int | None,
        reward: str,
        **options: Any,
    ) -> dict[str, Any]:
        if sample is not None and sample < 1:
            raise UsageError("--sample must be 1 query or more")
        chosen = collection_named(collection)
        kept = {key: options[key] for key in CampaignSettings.__dataclass_fields__ if key in options}
        with self.progress("Fetching texts") as update:
            asked = ask_better_than_perfect(
                name=name,
                run=chosen_runs(chosen, [run])[0],
                qrel_set=official_set(chosen, official),
                settings=CampaignSettings(reward=dollars_option("--reward", reward), **kept),
                sample=sample,
                progress=update,
            )
        campaign = asked.campaign
        cost = quote_tasks(campaign, campaign.tasks.count())
        return {
            "campaign": campaign.name,
            "category_a": asked.count(Category.A),
            "category_b": asked.count(Category.B),
            "missing": len(asked.found.missing),
            "nothing_second": len(asked.found.nothing_second),
            "pairs": campaign.pairs.count(),
            "tasks": cost.tasks,
            "cost": float(cost.total),
            "gold_pairs_needed": needed_gold(campaign),
        }
