"""`manage.py judge_agreement`: how far judges agree, and whether they prefer a side."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from judging.services.campaigns import campaign_named
from leaderboard.management.asking import check_seed, seed_argument
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.boards import SEED
from leaderboard.services.judge_agreement import analyse_judge_agreement


class Command(AnalysisCommand):
    help = (
        "Observed agreement P of judgments of the same pair, with an interval from resampling queries, and 2P - 1; "
        "how often the left side was preferred, in all and by each worker, with exact binomial tests."
    )
    example = "manage.py judge_agreement first --json"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("campaign", help="name of the campaign")
        seed_argument(parser, SEED)

    def analyse(self, *, campaign: str, seed: int, **options: Any) -> Analysis:
        check_seed(seed)
        return analyse_judge_agreement(campaign=campaign_named(campaign), seed=seed)
