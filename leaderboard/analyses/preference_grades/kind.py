"""The kind for preference against grade."""

from __future__ import annotations

from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.preference_grades.analysis import analyse_preference_grades
from leaderboard.output import Analysis
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress
from pooling.models import QrelSet


def make(asked: Asked, _: Progress | None) -> Analysis:
    """Run the requested analysis."""
    sets = asked.collection.qrel_sets.filter(kind=QrelSet.Kind.GRADED).order_by("-pk")
    newest = sets.first() if not asked.text("grades") else None
    graded = newest or official_set(asked.collection, asked.text("grades") or None)
    return analyse_preference_grades(campaign=asked.judged, graded=graded)


KIND = Kind(
    "preference_grades",
    "Preference against grade",
    "Whether the preferred passage of a pair has the higher grade, by how far the two grades lie apart.",
    "a judged campaign and graded labels",
    make,
    (
        Choice(
            "grades",
            "Graded labels",
            of="sets",
            help="a qrel set (default: the newest graded one, else the official one)",
        ),
    ),
    of_campaign=True,
    members_only=True,
    of_runs=False,
    help="For each judgment of a pair whose passages both have a grade, show whether the preferred passage has the "
    "higher one, by the difference of the grades, with intervals.",
    example="first --grades graded --csv preference.csv",
)
