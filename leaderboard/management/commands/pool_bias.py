"""`manage.py pool_bias`: where runs stand when the pool had been made without them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from judging.services.campaigns import campaign_named
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.pool_bias import analyse_pool_bias


class Command(AnalysisCommand):
    help = (
        "Leave each run out in turn (or each team, with all of its runs): the best answers are derived again without "
        "the passages that only it brought to the pool, and the board is drawn again."
    )
    example = "manage.py pool_bias first --by team --csv bias.csv"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument(
            "--by", choices=["run", "team"], default="run", help="what is left out at a time (default: run)"
        )
        runs_argument(parser)

    def analyse(self, *, campaign: str, by: str, runs: list[str], **options: Any) -> Analysis:
        chosen = campaign_named(campaign)
        with self.progress("Leaving out") as update:
            return analyse_pool_bias(
                campaign=chosen, runs=runs_of(chosen.collection, runs), by_team=by == "team", progress=update
            )
