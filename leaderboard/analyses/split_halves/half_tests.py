"""Two-sided p-values of many comparisons at once, computed from counts and equal to scipy's.

- Rank-sum: Mann and Whitney's normal approximation, corrected for ties but not for continuity.
- Signed-rank: scipy.stats.wilcoxon without zeros and without continuity correction. Like scipy, it is
  exact for up to 13 queries, and for up to 50 if there are no ties or zeros. Otherwise it is the normal
  approximation.
- t: scipy.stats.ttest_rel.

If no values differ, p is 1. The exact sign test is in ``shared.proportions``.
"""

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.special on first use, which saves every other command a third of a second

Floats = npt.NDArray[np.float64]

EXACT_WITHOUT_TIES = 50
EXACT_ALWAYS = 13


def rank_sum_p(doubled_wins: Floats, ties: Floats, sizes: Floats) -> Floats:
    """Return p of the rank-sum test, from 2·U and Σ(t³ - t) of the pooled values of two samples of equal size."""
    pooled = 2 * sizes
    variance = sizes**2 / 12 * (pooled + 1 - ties / (pooled * (pooled - 1)))
    return _normal_p(doubled_wins / 2 - sizes**2 / 2, variance)


def signed_rank_p(doubled_ranks: Floats, ties: Floats, count: Floats) -> Floats:
    """Return p of the signed-rank test by the normal approximation.

    Computed from 2·W⁺, Σ(t³ - t) and the number of nonzero differences.
    """
    variance = (count * (count + 1) * (2 * count + 1) - ties / 2) / 24
    return _normal_p(doubled_ranks / 2 - count * (count + 1) / 4, variance)


def exact_signed_rank_p(doubled_ranks: Floats, ranks: npt.NDArray[np.int64]) -> Floats:
    """Return the exact p of the signed-rank test from 2·W⁺ and the doubled ranks.

    ``ranks`` has the shape (comparisons, differences), padded with zeros. All 2ⁿ ways to assign signs to n ranks are
    equally likely; the distribution of their sums is built up one rank at a time.
    """
    largest = int(ranks.sum(axis=1).max(initial=0))
    ways = np.zeros((len(ranks), largest + 1))
    ways[:, 0] = 1.0
    sums = np.arange(largest + 1)
    for place in range(ranks.shape[1]):
        before = sums - ranks[:, place : place + 1]
        ways = (ways + np.where(before >= 0, np.take_along_axis(ways, np.maximum(before, 0), axis=1), 0)) / 2
    reached = doubled_ranks[:, None]
    lower, upper = (ways * (sums <= reached)).sum(axis=1), (ways * (sums >= reached)).sum(axis=1)
    p: Floats = np.minimum(1.0, 2 * np.minimum(lower, upper))
    return p


def t_p(sums: Floats, squares: Floats, sizes: Floats) -> Floats:
    """Return p of the paired t-test from the sum and the sum of squares of ``sizes`` differences."""
    spread = sizes * squares - sums**2
    # If all differences are equal but not integers, rounding errors leave a small spread.
    spread = np.where(spread <= 1e-12 * sums**2, 0.0, spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(sums) * np.sqrt((sizes - 1) / spread)
    p: Floats = 2 * scipy.special.stdtr(sizes - 1, -t)
    return np.where(squares == 0, 1.0, p)


def _normal_p(distance: Floats, variance: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(distance) / np.sqrt(variance)
    return np.where(variance > 0, 2 * scipy.special.ndtr(-z), 1.0)
