"""Win ratios: how often one run's top passage was preferred to another's.

[SP] Table 4. A cell shows how often the column's top passage was preferred to the row's. It covers the queries for
which the two are of different classes and were judged against each other. The wins row counts the opponents that
a column beats (a ratio above one half). The exact binomial test of even odds is Bonferroni-corrected over all pairs
of the table, including the perfect run: 66 pairs of twelve runs in the paper. Choices made here: the majority of a
pair's judgments counts, and a tied pair counts for neither run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.analyses.shared.contenders import NOWHERE, Integers, pair_indexes
from leaderboard.analyses.shared.proportions import Floats, sign_test_p
from tournament.pair_wins import PairTally

ALPHA = 0.05
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class WinRatios:
    """Comparisons of every two runs; arrays have the shape (runs, runs) and an empty diagonal.

    ``wins[r, c]`` is the number of queries on which c's top passage was preferred to r's. ``level[r, c]`` is the
    number of queries on which the two tied. ``ratio`` is NaN if no query has a preference. ``beaten`` is the number
    of opponents that each run beats, shape (runs,).
    """

    names: tuple[str, ...]
    wins: Integers
    level: Integers
    ratio: Floats
    p_value: Floats
    corrected: Floats
    significant: Flags
    beaten: Integers
    pairs: int
    alpha: float


def win_ratios(names: Sequence[str], tops: Integers, judged: PairTally, *, alpha: float = ALPHA) -> WinRatios:
    """Compare every two runs by their top passages. ``tops`` has each run's top node, shape (runs, queries)."""
    size = len(names)
    if tops.shape[:1] != (size,):
        raise ValueError("tops must have one row per run")
    wins = np.zeros((size, size), dtype=np.int64)
    level = np.zeros((size, size), dtype=np.int64)
    for row in range(size):
        for column in range(row + 1, size):
            lost, won, even = _tops_won(tops[row], tops[column], judged)
            wins[row, column], wins[column, row] = won, lost
            level[row, column] = level[column, row] = even
    return ratios_from_counts(names, wins, level=level, alpha=alpha)


def _tops_won(row: Integers, column: Integers, judged: PairTally) -> tuple[int, int, int]:
    """Return the numbers of queries won by the row's top passage, by the column's top passage, and by neither."""
    differ = (row != column) & (row != NOWHERE) & (column != NOWHERE)
    ours, theirs = row[differ], column[differ]
    found = pair_indexes(judged, ours, theirs)
    known = found != NOWHERE
    found, ours = found[known], ours[known]
    sign = np.sign(judged.for_a[found] - judged.for_b[found])
    sign = np.where(judged.a[found] == ours, sign, -sign)
    return int((sign > 0).sum()), int((sign < 0).sum()), int((sign == 0).sum())


def ratios_from_counts(
    names: Sequence[str], wins: Integers, *, level: Integers | None = None, alpha: float = ALPHA
) -> WinRatios:
    """Return ratios and tests from counts. ``wins[r, c]``: queries on which c's top passage was preferred to r's."""
    decided = wins + wins.T
    with np.errstate(invalid="ignore"):
        ratio = np.where(decided > 0, wins / decided, np.nan)
    np.fill_diagonal(ratio, np.nan)
    pairs = len(names) * (len(names) - 1) // 2
    p_value = sign_test_p(wins, wins.T)
    corrected = np.minimum(1.0, p_value * max(pairs, 1))
    significant = corrected < alpha
    np.fill_diagonal(significant, False)
    return WinRatios(
        names=tuple(names),
        wins=wins,
        level=np.zeros_like(wins) if level is None else level,
        ratio=ratio,
        p_value=p_value,
        corrected=corrected,
        significant=significant,
        beaten=opponents_beaten(ratio),
        pairs=pairs,
        alpha=alpha,
    )


def opponents_beaten(ratio: Floats) -> Integers:
    """Return the wins row: for each column, the number of rows in which its ratio is above one half."""
    beaten: Integers = np.sum(np.nan_to_num(ratio, nan=0.0) > 0.5, axis=0)
    return beaten
