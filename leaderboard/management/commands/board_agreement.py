"""`manage.py board_agreement`: official and preference qrels side by side."""

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
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.board_agreement import analyse_board_agreement
from leaderboard.services.boards import SEED
from pooling.services.finding import collection_named


class Command(OfAVersion, AnalysisCommand):
    help = (
        "MRR@10 under a qrel set and under a version of the preference qrels, side by side: 95 % intervals, moves in "
        "rank, Kendall's tau-b and tau_AP, the board of these queries against the one of all, which qrels win their "
        "pairs, and how many judged pairs each run orders as people did."
    )
    example = "manage.py board_agreement mine --version 1 --figure boards.pdf --markdown boards.md"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("collection", help="name of the collection")
        version_argument(parser, "--number")  # its name of before
        parser.add_argument(
            "--official", metavar="SET", help="qrel set to set it against (default: the official one)"
        )
        runs_argument(parser)
        seed_argument(parser, SEED)

    def analyse(
        self,
        *,
        collection: str,
        number: int | None,
        official: str | None,
        runs: list[str],
        seed: int,
        **options: Any,
    ) -> Analysis:
        check_seed(seed)
        chosen = collection_named(collection)
        with self.progress("Scoring runs") as update:
            return analyse_board_agreement(
                collection=chosen,
                version=services.version_numbered(chosen, number),
                official=services.official_set(chosen, official),
                runs=runs_of(chosen, runs),
                seed=seed,
                progress=update,
            )
