"""`manage.py better_than_perfect`: whom people preferred, a run or the qrels."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from judging.services.campaigns import campaign_named
from leaderboard import services
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.proportions import Interval
from leaderboard.services.better_than_perfect import analyse_better_than_perfect


class Command(AnalysisCommand):
    help = (
        "One run against the known relevant passages (qrels). Category A: the qrel is the run's top passage and is "
        "compared with its second; B: it stands lower or is not found and is compared with the top. Counts who was "
        "preferred, from the judgments of a campaign made by ask_better_than_perfect, or of any other campaign when "
        "run and qrel set are named."
    )
    example = "manage.py better_than_perfect vs-qrels --figure preferred.svg"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument(
            "--run", metavar="TAG", help="the run (default: the one the campaign was made from)"
        )
        parser.add_argument(
            "--official", metavar="SET", help="the qrel set (default: the one the campaign was made from)"
        )
        parser.add_argument(
            "--interval",
            choices=[str(one) for one in Interval],
            default=str(Interval.WILSON),
            help="of shares: Wilson's score interval, or the exact one of Clopper and Pearson (default: wilson)",
        )

    def analyse(
        self, *, campaign: str, run: str | None, official: str | None, interval: str, **options: Any
    ) -> Analysis:
        chosen = campaign_named(campaign)
        return analyse_better_than_perfect(
            campaign=chosen,
            run=services.chosen_runs(chosen.collection, [run])[0] if run else None,
            qrel_set=services.official_set(chosen.collection, official) if official else None,
            interval=Interval(interval),
        )
