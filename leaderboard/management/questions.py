"""What is asked of a comparison, from the options of a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.services.comparing import MEASURE, Question
from leaderboard.services.labels import labels_named
from leaderboard.verdicts import ALPHA, Deciding
from pooling.models import Collection


def question_arguments(parser: CommandParser) -> None:
    """The options that a comparison takes, whatever is done with it."""
    parser.add_argument("collection", help="name of the collection")
    parser.add_argument(
        "--qrels", required=True, help="a qrel set, or @n for version n of the preference qrels"
    )
    parser.add_argument("--measure", default=MEASURE, help=f"RR, or RR@k (default: {MEASURE})")
    parser.add_argument("--alpha", type=float, default=ALPHA, help=f"level of the tests (default: {ALPHA})")
    parser.add_argument(
        "--test",
        choices=[one.value for one in Deciding],
        default=Deciding.ESL_T.value,
        help=f"what decides where both runs answer (default: {Deciding.ESL_T.value})",
    )
    parser.add_argument(
        "--single-answer-only", action="store_true", help="leave out queries with several relevant passages"
    )


def question_asked(collection: Collection, options: Mapping[str, Any]) -> Question:
    """The question that these options ask."""
    return Question(
        labels=labels_named(collection, options["qrels"]),
        measure=options["measure"],
        alpha=options["alpha"],
        deciding=Deciding(options["test"]),
        single_answer_only=options["single_answer_only"],
    )
