"""`manage.py progress`: the leaderboard over time, and which of its steps were real."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from leaderboard import services
from leaderboard.management.questions import question_arguments, question_asked
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from pooling.services.finding import collection_named


class Command(AnalysisCommand):
    help = (
        "Every run's value by date of submission; the runs that were the state of the art when they arrived, from "
        "the first that beat the baselines; and which of those steps were significant."
    )
    example = "manage.py progress mine --qrels official --figure progress.svg"

    def arguments(self, parser: CommandParser) -> None:
        question_arguments(parser)
        super().arguments(parser)

    def analyse(self, *, collection: str, **options: Any) -> Analysis:
        chosen = collection_named(collection)
        with self.progress("Scoring runs") as update:
            return services.progress_analysis(
                services.progress_over_time(
                    collection=chosen,
                    runs=services.chosen_runs(chosen),
                    question=question_asked(chosen, options),
                    progress=update,
                )
            )
