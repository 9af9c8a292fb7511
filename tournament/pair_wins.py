"""Turn judgments into wins, pair by pair.

Each of a pair's *k* judgments gives 1/*k* of a win to the preferred passage, or half of that to each for "cannot
decide". Wins are integer numerators over a common denominator, the ``unit`` (the value of a whole win). Two passages
tie when their numerators are equal, so rounding never makes or breaks a tie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
#: Numerators: int64, or Python integers (dtype object) where int64 sums could overflow.
ExactArray = NDArray[Any]

#: Sums of integers below this are exact in float64, the type in which ``numpy.bincount`` sums.
EXACT_BELOW = 2**53


class Count(StrEnum):
    """Ways to turn the judgments of one pair into one win: split it in proportion, or give it to the majority."""

    SHARES = "shares"
    MAJORITY = "majority"


@dataclass(frozen=True)
class PairTally:
    """The numbers of judgments of each pair, as arrays of shape (pairs,), ascending by (a, b) with a < b."""

    a: IntArray
    b: IntArray
    for_a: IntArray
    for_b: IntArray
    undecided: IntArray

    @property
    def judged(self) -> IntArray:
        """The number of judgments of each pair."""
        return self.for_a + self.for_b + self.undecided


@dataclass(frozen=True)
class PairWins:
    """Each side's share of the pair's one win, as numerators over ``unit``; shapes (pairs,)."""

    a: IntArray
    b: IntArray
    wins_a: ExactArray
    wins_b: ExactArray
    judged: IntArray
    unit: int

    def only(self, kept: NDArray[np.bool_]) -> PairWins:
        """Return only the pairs that the mask selects."""
        return PairWins(
            self.a[kept], self.b[kept], self.wins_a[kept], self.wins_b[kept], self.judged[kept], self.unit
        )


def tally(left: IntArray, right: IntArray, preferred: IntArray) -> PairTally:
    """Count the judgments of each pair.

    ``left`` and ``right`` are node codes from 0, shape (judgments,), in the order shown; ``preferred`` is one of the
    two, or negative for "cannot decide". Judgments of a node against itself are ignored. Raises ValueError if a
    preferred node was not shown.
    """
    shown = (preferred == left) | (preferred == right) | (preferred < 0)
    if not shown.all():
        raise ValueError(f"judgment {int(np.argmin(shown))} prefers a node that it does not show")
    a, b = np.minimum(left, right), np.maximum(left, right)
    outcome = np.where(preferred < 0, 2, preferred == b)
    width = int(b.max(initial=0)) + 1
    # Encode pair and outcome in one number: sorting numbers is several times faster than sorting row indexes.
    rows = np.sort(((a * width + b) * 3 + outcome)[a != b])
    pair = rows // 3
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    said = rows - 3 * pair
    for_a, for_b, undecided = (_sums_between(said == side, first) for side in range(3))
    return PairTally(pair[first] // width, pair[first] % width, for_a, for_b, undecided)


def _sums_between(flags: NDArray[np.bool_], first: IntArray) -> IntArray:
    """Return how many flags are set in each group of rows; ``first`` has the index of each group's first row."""
    total = np.concatenate([[0], np.cumsum(flags)])
    counts: IntArray = np.diff(total[np.append(first, len(flags))])
    return counts


def wins_of_pairs(counts: PairTally, *, count: Count = Count.SHARES, largest: int) -> PairWins:
    """Turn each pair's counts into one win: split in proportion, or all for the majority (half each for a tie).

    ``largest`` is the number of nodes in the largest query, which bounds every later sum. If a sum could exceed the
    exact range, the numerators become Python integers (slower, still exact).
    """
    judged = counts.judged
    if count is Count.MAJORITY:
        halves = 1 + np.sign(counts.for_a - counts.for_b)
        return PairWins(counts.a, counts.b, halves, 2 - halves, judged, 2)
    unit = 2 * math.lcm(*(int(k) for k in np.flatnonzero(np.bincount(judged))))
    kind: type = np.int64 if unit * max(largest, 1) < EXACT_BELOW else object
    worth: ExactArray = unit // (2 * judged.astype(kind))
    wins_a: ExactArray = (2 * counts.for_a + counts.undecided).astype(kind) * worth
    wins_b: ExactArray = (2 * counts.for_b + counts.undecided).astype(kind) * worth
    return PairWins(counts.a, counts.b, wins_a, wins_b, judged, unit)


def sums_by_node(node: IntArray, worth: ExactArray, size: int) -> ExactArray:
    """Return the exact sum of ``worth`` for each node, shape (size,); see :data:`EXACT_BELOW`."""
    if worth.dtype == object:
        total: ExactArray = np.zeros(size, dtype=object)
        np.add.at(total, node, worth)
        return total
    return np.bincount(node, weights=worth, minlength=size).astype(np.int64)
