"""`manage.py win_ratios`: how often one run's top passage was preferred to another's."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import UsageError
from judging.services.campaigns import campaign_named
from leaderboard import services
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.win_ratios import analyse_win_ratios
from leaderboard.win_ratios import ALPHA


class Command(AnalysisCommand):
    help = (
        "For every two runs of a campaign's pool, and the perfect run, over the queries whose top passages differ "
        "and were judged: how often the column's was preferred to the row's. Exact binomial tests, "
        "Bonferroni-corrected over all pairs. Runs that only challenged are not comparable."
    )
    example = "manage.py win_ratios first --latex ratios.tex --figure ratios.pdf"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument(
            "--official", metavar="SET", help="qrel set of the perfect run (default: the official one)"
        )
        parser.add_argument(
            "--alpha", type=float, default=ALPHA, help=f"level of the tests (default: {ALPHA})"
        )
        runs_argument(parser)

    def analyse(
        self, *, campaign: str, official: str | None, alpha: float, runs: list[str], **options: Any
    ) -> Analysis:
        if not 0 < alpha < 1:
            raise UsageError("--alpha is a share between 0 and 1")
        chosen = campaign_named(campaign)
        return analyse_win_ratios(
            campaign=chosen,
            runs=runs_of(chosen.collection, runs),
            official=services.official_set(chosen.collection, official),
            alpha=alpha,
        )
