"""`manage.py compare`: is run B better than run A?"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from leaderboard import services
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.management.questions import question_arguments, question_asked
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from pooling.services.finding import collection_named


class Command(AnalysisCommand):
    help = (
        "Compare runs in order of time: every one with the first, and the last with the two before it. Tests on "
        "RR as if all queries were alike, then by outcome: queries that neither, one or both runs answer; and "
        "what may be claimed (better, strictly better, do no harm), in a sentence to quote."
    )
    example = (
        "manage.py compare mine --qrels official --runs old new --latex compare.tex --figure compare.pdf"
    )

    def arguments(self, parser: CommandParser) -> None:
        question_arguments(parser)
        runs_argument(parser, "two or more, the oldest first (default: all by date)")
        super().arguments(parser)

    def analyse(self, *, collection: str, runs: list[str], **options: Any) -> Analysis:
        chosen = collection_named(collection)
        found = runs_of(chosen, runs)
        with self.progress("Scoring runs") as update:
            return services.comparison_analysis(
                services.compare(
                    collection=chosen,
                    runs=found if runs else services.chronological(found),
                    question=question_asked(chosen, options),
                    progress=update,
                )
            )
