"""How often the preferred passage has the higher grade, by the difference between the two grades."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from leaderboard.analyses.shared.proportions import Share, share_with_bounds

#: A passage of a query, by its class of equal texts: (query key, class key).
Key = tuple[int, str]
#: The preferred passage, the other passage and True; for "cannot decide", the two passages and False.
JudgedPair = tuple[Key, Key, bool]


@dataclass(frozen=True)
class GradeGap:
    """Judgments of pairs whose grades differ by ``gap``.

    ``higher`` is the share that prefer the passage with the higher grade, among those that prefer a passage. It is
    empty (0 of 0) if ``gap`` is 0.
    """

    gap: int
    judgments: int
    higher: Share
    undecided: int


def preference_by_gap(judged: Iterable[JudgedPair], grades: Mapping[Key, int]) -> tuple[list[GradeGap], int]:
    """Count judgments by the gap between the two grades.

    Returns one row per gap, in ascending order of gaps, and the number of judgments of pairs with an ungraded
    passage. "Cannot decide" is counted separately, not as a preference for either passage.
    """
    counts: dict[int, list[int]] = {}
    ungraded = 0
    for preferred, other, decided in judged:
        if preferred not in grades or other not in grades:
            ungraded += 1
            continue
        gap = grades[preferred] - grades[other]
        higher, lower, undecided = counts.setdefault(abs(gap), [0, 0, 0])
        counts[abs(gap)] = [
            higher + (decided and gap >= 0),
            lower + (decided and gap < 0),
            undecided + (not decided),
        ]
    rows = [
        GradeGap(
            gap,
            higher + lower + undecided,
            share_with_bounds(higher, higher + lower) if gap else share_with_bounds(0, 0),
            undecided,
        )
        for gap, (higher, lower, undecided) in sorted(counts.items())
    ]
    return rows, ungraded


def all_gaps(rows: Iterable[GradeGap]) -> Share:
    """Return the share of judgments that prefer the higher grade, among pairs with different grades."""
    apart = [row for row in rows if row.gap]
    return share_with_bounds(sum(row.higher.count for row in apart), sum(row.higher.total for row in apart))
