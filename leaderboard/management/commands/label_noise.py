"""`manage.py label_noise`: how much of the board rests on who happened to judge."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import UsageError
from judging.services.campaigns import campaign_named
from leaderboard import services
from leaderboard.management.asking import (
    check_count,
    check_seed,
    count_argument,
    runs_argument,
    runs_of,
    seed_argument,
)
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.boards import SEED
from leaderboard.services.label_noise import analyse_label_noise
from leaderboard.settings_asked import TRIALS


class Command(AnalysisCommand):
    help = (
        "MRR@10 under a campaign's best answers with two kinds of 95 % intervals: queries resampled, and queries and "
        "judgments resampled (by worker where known) with the best answers derived again; paired intervals for "
        "differences from one run; and the simulated chance that a best answer is right."
    )
    example = "manage.py label_noise first --reference bm25 --error 0.2 --figure noise.pdf"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument(
            "--reference", metavar="TAG", help="differences from this run (default: the best)"
        )
        parser.add_argument("--official", metavar="SET", help="also show the perfect run of this qrel set")
        parser.add_argument(
            "--error",
            type=float,
            help="chance that a judgment is wrong, below one half (default: what the judges' agreement implies)",
        )
        count_argument(parser, TRIALS, "resamples")
        runs_argument(parser)
        seed_argument(parser, SEED)

    def analyse(
        self,
        *,
        campaign: str,
        reference: str | None,
        official: str | None,
        error: float | None,
        trials: int,
        runs: list[str],
        seed: int,
        **options: Any,
    ) -> Analysis:
        check_seed(seed)
        check_count(TRIALS, trials)
        if not (error is None or 0 <= error < 0.5):
            raise UsageError("--error is a share below one half")
        chosen = campaign_named(campaign)
        with self.progress("Resampling judgments") as update:
            return analyse_label_noise(
                campaign=chosen,
                runs=runs_of(chosen.collection, runs),
                official=services.official_set(chosen.collection, official) if official else None,
                reference=reference,
                error=error,
                seed=seed,
                trials=trials,
                progress=update,
            )
