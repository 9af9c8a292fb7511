"""`manage.py leaderboard`: runs under official and under preference qrels."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from leaderboard import services
from leaderboard.management.asking import (
    OfAVersion,
    check_seed,
    runs_argument,
    runs_of,
    seed_argument,
    version_argument,
)
from leaderboard.measures import KNOWN
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.boards import MEASURE, SEED
from pooling.services.finding import collection_named


class Command(OfAVersion, AnalysisCommand):
    help = (
        "Every run's MRR@10 (or --measure) under a qrel set and under a version of the preference qrels, over the "
        "queries for which both know a relevant passage, with 95 % intervals (bootstrap over queries), ranks, "
        "shifts, shares of answered queries and judged tops, and Kendall's tau-b between the two orders. The perfect "
        "run returns the official qrel of every query and nothing else; it counts in no rank and no "
        f"correlation. {KNOWN}"
    )
    example = "manage.py leaderboard mine --version 1 --official official --latex board.tex"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        version_argument(parser)
        parser.add_argument(
            "--official", metavar="SET", help="qrel set to set it against (default: the official one)"
        )
        runs_argument(parser)
        parser.add_argument(
            "--measure",
            default=MEASURE,
            help=f"what to rank runs by (default: {MEASURE}); where lower is better, the lowest is first",
        )
        seed_argument(parser, SEED)
        super().arguments(parser)

    def analyse(
        self,
        *,
        collection: str,
        number: int | None,
        official: str | None,
        runs: list[str],
        measure: str,
        seed: int,
        **options: Any,
    ) -> Analysis:
        check_seed(seed)
        chosen = collection_named(collection)
        with self.progress("Scoring runs") as update:
            published = services.leaderboard(
                collection=chosen,
                version=services.version_numbered(chosen, number),
                official=services.official_set(chosen, official),
                runs=runs_of(chosen, runs),
                measure=measure,
                seed=seed,
                progress=update,
            )
        return services.board_analysis(published)
