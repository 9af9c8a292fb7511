from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.lookups import collection_named
from pooling.labels.withheld_labels import decimals_warnings
from pooling.teams.submission_policies import (
    METADATA,
    PUBLIC_LISTS,
    RELEASED_AFTER,
    REQUIRED,
    drop_policy,
    set_policy,
)


class Command(BaseCommand):
    help = (
        "Set a collection's submission policy: import_runs then refuses runs that break it. If a team reached a "
        "limit, it shows when the next run is accepted. Baselines are exempt; existing runs are not affected."
    )
    example = "manage.py set_policy mine --runs 2 --days 30 --embargo-days 270"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("--runs", type=int, default=2, help="runs per team in any period (default: 2)")
        parser.add_argument("--days", type=int, default=30, help="length of a period in days (default: 30)")
        parser.add_argument(
            "--variants",
            type=int,
            default=1,
            help="how many of these runs may differ from another only by hyperparameters or seed (default: 1)",
        )
        parser.add_argument(
            "--require",
            nargs="+",
            default=list(REQUIRED),
            metavar="DETAIL",
            help=f"details required of each run (default: {' '.join(REQUIRED)}), of {', '.join(METADATA)} and the "
            "collection's own fields",
        )
        parser.add_argument(
            "--embargo-days", type=int, default=0, help="longest time a run may stay anonymous (default: 0)"
        )
        parser.add_argument(
            "--release-after",
            default="",
            choices=[value for value in RELEASED_AFTER if value],
            help="release runs automatically when their embargo ends",
        )
        parser.add_argument(
            "--teams-see-scores",
            action="store_true",
            help="show teams the values of their own unreleased runs",
        )
        parser.add_argument(
            "--public-list",
            default="",
            choices=[value for value in PUBLIC_LISTS if value],
            help="what non-members see of unreleased submissions (default: nothing)",
        )
        parser.add_argument(
            "--decimals",
            type=int,
            metavar="N",
            help="decimals of the public means, on the board and on runs' pages, 0 to 4; runs keep the order of "
            "their true values (default: all; under withheld labels, few enough to hide the effect of a single "
            "query). Under labels that are not withheld, analyses and values of single queries keep all decimals",
        )
        parser.add_argument(
            "--per-query-values",
            action="store_true",
            help="show values of single queries under withheld labels; with public runs, they reveal the labels",
        )
        parser.add_argument(
            "--why", default="", help="reason, shown with your name in the collection's activity"
        )
        parser.add_argument("--drop", action="store_true", help="delete the policy")

    def act(
        self,
        *,
        collection: str,
        runs: int,
        days: int,
        variants: int,
        require: list[str],
        embargo_days: int,
        decimals: int | None,
        why: str,
        drop: bool,
        **options: Any,
    ) -> dict[str, Any]:
        chosen, who = collection_named(collection), self.who
        if drop:
            dropped = drop_policy(collection=chosen, who=who, why=why)
            return {"collection": chosen.name, "dropped": dropped}
        policy = set_policy(
            collection=chosen,
            most_runs=runs,
            period_days=days,
            most_variants=variants,
            required=require,
            longest_embargo_days=embargo_days,
            public_decimals=decimals,
            who=who,
            why=why,
            **options,
        )
        return {
            "collection": chosen.name,
            "runs": policy.most_runs,
            "days": policy.period_days,
            "variants": policy.most_variants,
            "required": policy.required,
            "embargo_days": policy.longest_embargo_days,
            "decimals": policy.public_decimals,
            "per_query_values": policy.per_query_values,
            "warnings": decimals_warnings(policy),
        }

    def show(self, result: dict[str, Any]) -> None:
        super().show({name: value for name, value in result.items() if name != "warnings"})
        for warning in result.get("warnings", []):
            self.out.print(f"Warning: {warning}", markup=False)
