"""The question that a comparison answers: its fields, and its construction from the settings."""

from leaderboard.analyses.compare.comparison import Question
from leaderboard.analyses.compare.verdicts import Deciding
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.combinations import usual_labels
from leaderboard.analyses.shared.common_fields import ALPHA, LABELS_UNORDERED
from leaderboard.scoring.labels import labels_named
from pooling.services.query_splits import private_qids

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
    """Return the question from the settings, with defaults for unset ones."""
    name = asked.text("qrels") or usual_labels(asked.collection)[0]
    return Question(
        labels=labels_named(asked.collection, name),
        measure=asked.text("measure"),
        alpha=asked.number("alpha"),
        deciding=Deciding(asked.text("test")),
        single_answer_only=asked.text("single") == "1",
        hidden=hidden_from(asked),
    )


def hidden_from(asked: Asked) -> frozenset[str]:
    """Return the qids to leave out: private queries, if the result is public."""
    return frozenset(private_qids(asked.collection)) if asked.released else frozenset()
