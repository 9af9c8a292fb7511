"""`manage.py split_halves`: whether halves of the queries tell the same of two runs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import UsageError
from leaderboard import services
from leaderboard.management.asking import check_count, count_argument
from leaderboard.management.commands.stability import add_combinations, chosen_combinations
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.settings_asked import SPLITS
from leaderboard.split_halves import ALPHA


class Command(AnalysisCommand):
    help = (
        "Split the queries into random halves and compare every pair of runs in each, by mean and by median, with "
        "sign, rank-sum, signed-rank and t tests: how often the halves agree, partially agree and disagree. "
        "The same again comes back at once."
    )
    example = "manage.py split_halves mine --qrels official @1 --csv halves.csv"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        add_combinations(parser)
        count_argument(parser, SPLITS, "how many")
        parser.add_argument(
            "--alpha",
            type=float,
            default=ALPHA,
            help=f"significant is p up to this, per half (default: {ALPHA})",
        )

    def analyse(self, **options: Any) -> Analysis:
        splits, alpha = options["splits"], options["alpha"]
        check_count(SPLITS, splits)
        if not 0 < alpha < 1:
            raise UsageError("--alpha is a share between 0 and 1")
        with self.progress("Comparing halves") as update:
            return services.split_halves(
                **chosen_combinations(options), splits=splits, alpha=alpha, progress=update
            )
