"""The question that a comparison answers: its form fields, and its construction from the settings of a request."""

from leaderboard.analyses.compare.comparison import Question
from leaderboard.analyses.compare.verdicts import Deciding
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.combinations import labels_asked
from leaderboard.analyses.shared.common_fields import ALPHA, LABELS_UNORDERED
from pooling.labels.query_splits import private_qids

QUESTION = (
    LABELS_UNORDERED,
    Choice(
        "measure",
        "Measure",
        tuple((name, f"M{name}") for name in ("RR@10", "RR@100", "RR@1000")),
        help="RR, or RR@k",
        free=True,
    ),
    Choice(
        "test",
        "Test where both answer",
        tuple((one.value, one.words) for one in Deciding),
        help="the test that decides where both runs answer",
    ),
    Choice(
        "single",
        "Queries with several answers",
        (("", "included"), ("1", "left out")),
        help="leave out queries with several relevant passages",
        option="--single-answer-only",
        flag=True,
    ),
    ALPHA,
)


def question_asked(asked: Asked) -> Question:
    """Return the question that the settings ask. Settings other than ``measure`` and ``alpha`` can be missing."""
    return Question(
        labels=labels_asked(asked),
        measure=asked.text("measure"),
        alpha=asked.number("alpha"),
        deciding=Deciding(asked.text("test") or Deciding.ESL_T),
        single_answer_only=asked.text("single") == "1",
        hidden=private_qids(asked.collection) if asked.released else frozenset(),
    )
