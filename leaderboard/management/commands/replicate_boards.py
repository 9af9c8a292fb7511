"""`manage.py replicate_boards`: the board under each of several complete sets of judgments."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from judging.services.campaigns import campaign_named
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.services.replicate_boards import analyse_replicate_boards
from tournament.models import Resolution


class Command(AnalysisCommand):
    help = (
        "For a campaign whose passages were judged more than once, in phases: the best answers of each phase alone, "
        "how far they overlap, and how far the boards under them agree."
    )
    example = "manage.py replicate_boards duel --phases I II III --ties recount"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument("--phases", nargs="+", default=[], metavar="PHASE", help="(default: all)")
        parser.add_argument(
            "--ties",
            choices=Resolution.Ties.values,
            help="recount or keep ties (default: as the campaign was resolved last)",
        )
        runs_argument(parser)

    def analyse(
        self, *, campaign: str, phases: list[str], ties: str | None, runs: list[str], **options: Any
    ) -> Analysis:
        chosen = campaign_named(campaign)
        return analyse_replicate_boards(
            campaign=chosen, runs=runs_of(chosen.collection, runs), phases=phases, ties=ties
        )
