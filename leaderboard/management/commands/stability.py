"""`manage.py stability`: how firm the ranks of a board are."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import UsageError
from leaderboard import services
from leaderboard.management.asking import check_count, count_argument, runs_argument, runs_of
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.boards import SEED
from leaderboard.services.combinations import QUERY_SETS
from leaderboard.settings_asked import TRIALS
from pooling.services.finding import collection_named


class Command(AnalysisCommand):
    help = (
        "Every run's ranks when the queries are resampled: expected ranks, the middle 95 %, the top five and a "
        "figure, for each combination of labels, public or private queries, and measure. The same again "
        "comes back at once."
    )
    example = 'manage.py stability mine --qrels official @1 --measures "RR@10 nDCG@10" --figure ranks.pdf'

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        add_combinations(parser)
        count_argument(parser, TRIALS, "resamples of the queries")

    def analyse(self, **options: Any) -> Analysis:
        check_count(TRIALS, options["trials"])
        with self.progress("Scoring runs") as update:
            return services.stability(
                **chosen_combinations(options), trials=options["trials"], progress=update
            )


def add_combinations(parser: CommandParser) -> None:
    """What is looked at: runs, labels, queries, measures, and the seed."""
    parser.add_argument("collection", help="name of the collection")
    parser.add_argument(
        "--qrels",
        nargs="+",
        default=[],
        metavar="LABELS",
        help="qrel sets, @n for version n, or @n:order for its order of preference, which Compat measures by "
        "(default: the official set and the latest version)",
    )
    parser.add_argument(
        "--queries",
        nargs="+",
        default=[],
        choices=QUERY_SETS,
        help="default: public and private ones apart where there are private ones, else all",
    )
    parser.add_argument("--measures", default="RR@10", help="names, parted by blanks (default: RR@10)")
    runs_argument(parser)
    parser.add_argument("--seed", type=int, default=SEED, help=f"of what is drawn (default: {SEED})")


def chosen_combinations(options: dict[str, Any]) -> dict[str, Any]:
    """The same for a service."""
    if options["seed"] < 0:
        raise UsageError("the seed must be 0 or more")
    collection = collection_named(options["collection"])
    return {
        "collection": collection,
        "runs": runs_of(collection, options["runs"]),
        "labels": options["qrels"],
        "query_sets": list(dict.fromkeys(options["queries"])),
        "measures": options["measures"],
        "seed": options["seed"],
    }
