"""The kind for the order by do no harm."""

from __future__ import annotations

from leaderboard.analyses.compare.comparison import Question
from leaderboard.analyses.compare.comparison_question import QUESTION, hidden_from
from leaderboard.analyses.harmless_order.analysis import analyse_harmless_order
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.shared.combinations import labels_or_usual
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.labels import labels_named


def make(asked: Asked, progress: Progress | None) -> Analysis:
    """Run the requested analysis."""
    question = Question(
        labels=labels_named(asked.collection, labels_or_usual(asked.collection, asked.text("qrels"))),
        measure=asked.text("measure"),
        alpha=asked.settings["alpha"],  # type: ignore[arg-type]  # read as a number
        hidden=hidden_from(asked),
    )
    return analyse_harmless_order(
        collection=asked.collection, runs=asked.runs, question=question, progress=progress
    )


KIND = Kind(
    "harmless_order",
    "Order by do no harm",
    "Runs in the order that pairwise comparisons support; runs that cannot be told apart share a place.",
    "two or more runs, and labels",
    make,
    tuple(field for field in QUESTION if field.name in ("qrels", "measure", "alpha")),
    by_query_set=True,
    at_once=300,
    works="Scoring runs",
    help="Order runs by pairwise comparisons instead of their means: a run is above another if it does it no harm "
    "(answers more queries or finds answers earlier, and is not worse in the other). Runs that no comparison "
    "orders share a place.",
    example="mine --qrels official --latex order.tex",
)
