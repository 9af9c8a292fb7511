"""Significance tests of two runs over the same queries, from the ranks of the first relevant passage.

Ranks start at 1; 0 means that the run does not answer the query, whose reciprocal rank is then 0. Each difference of
reciprocal ranks is one correctly rounded division of integers, and tests that rank differences use integers. Equal
differences then tie, unlike differences of floats 1/rank (p moves from 0.4287 to 0.4433 on real runs).

Lin et al. (SIGIR 2021) [SI], Table 1: rank-sum, signed-rank and paired t are the "naive" tests on MRR.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.stats on first use, which saves every other command a second

from leaderboard.output import Interval

Ranks = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Differences = npt.NDArray[np.int64] | npt.NDArray[np.float64]

EXACT_UP_TO = 50
EXACT_TIED_UP_TO = 13
_NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Finding:
    """The result of a two-sided test of A against B.

    ``p`` is NaN if the test is undefined. ``favors`` is 1 if B tends to have larger values, -1 if A does, else 0.
    ``counted`` is the number of values or differences used. ``exact`` is the p of the signed-rank test from its full
    distribution, ties included, for up to 50 nonzero differences; otherwise NaN.
    """

    p: float
    favors: int
    counted: int
    exact: float = math.nan

    def significant(self, alpha: float) -> bool:
        """Return whether p is at most alpha; False if the test is undefined."""
        return self.p <= alpha


def reciprocal_differences(a: Ranks, b: Ranks) -> Values:
    """Return RR of B minus RR of A for each query.

    Each difference is one division of integers, so that equal differences are equal floats.
    """
    over = np.maximum(a, 1) * np.maximum(b, 1)
    both, only_a, only_b = (a > 0) & (b > 0), (a > 0) & (b == 0), (a == 0) & (b > 0)
    above = np.where(both, a - b, only_b.astype(np.int64) - only_a)
    differences: Values = above / over
    return differences


def rank_sum(a: Ranks, b: Ranks) -> Finding:
    """Run Wilcoxon's rank-sum test of two samples of reciprocal ranks, by the normal approximation.

    Corrects for ties, but not for continuity, like scipy's ``mannwhitneyu(rr_a, rr_b, method="asymptotic",
    use_continuity=False)``. p is 1 if all values are equal, and undefined if there are none.
    """
    if len(a) == 0:
        return Finding(math.nan, 0, 0)
    lengths_a, lengths_b = np.where(a > 0, a, _NOWHERE), np.where(b > 0, b, _NOWHERE)
    codes = np.unique(np.concatenate([lengths_a, lengths_b]), return_inverse=True)[1]
    if codes.max() == 0:
        return Finding(1.0, 0, 2 * len(a))
    first, second = codes[: len(a)], codes[len(a) :]
    found = scipy.stats.mannwhitneyu(first, second, use_continuity=False, method="asymptotic")
    # The statistic is the number of pairs (a value of A, a value of B) in which A's search is longer.
    return Finding(float(found.pvalue), _sign(float(2 * found.statistic - len(a) * len(b))), 2 * len(a))


def signed_rank(differences: Differences) -> Finding:
    """Run Wilcoxon's signed-rank test on the differences B minus A, without zeros.

    Differences tie only if they are exactly equal, so pass integers or :func:`reciprocal_differences`.

    p is the same as from scipy's ``wilcoxon(differences, zero_method="wilcox")``. It is exact for up to 50
    differences without ties or zeros, and for up to 13 in any case. Otherwise it is the normal approximation,
    corrected for ties but not for continuity. It is 1 if all differences are zero, and undefined if there are none.
    """
    kept = differences[differences != 0]
    if len(kept) == 0:
        return Finding(1.0 if len(differences) else math.nan, 0, 0, 1.0 if len(differences) else math.nan)
    codes = np.unique(np.abs(kept), return_inverse=True)[1].astype(np.int64) + 1
    signed = np.where(kept > 0, codes, -codes)
    doubled = np.rint(2 * scipy.stats.rankdata(codes)).astype(np.int64)
    positive, total = int(doubled[kept > 0].sum()), int(doubled.sum())
    exact = _sign_flip_p(doubled, positive) if len(kept) <= EXACT_UP_TO else math.nan
    untied = len(kept) == len(differences) == codes.max()
    if len(differences) <= (EXACT_UP_TO if untied else EXACT_TIED_UP_TO):
        p = exact
    else:
        found = scipy.stats.wilcoxon(signed, zero_method="wilcox", method="asymptotic")  # type: ignore[call-overload]
        p = float(found.pvalue)
    return Finding(p, _sign(2 * positive - total), len(kept), exact)


def paired_t(differences: Differences) -> Finding:
    """Run Student's paired t-test on the differences B minus A, like scipy's ``ttest_rel``.

    p is 1 if all differences are zero, even a single one. It is undefined if there are no differences. It is also
    undefined if all (or the only one) have the same nonzero value, because t would be infinite even for very few.
    """
    values = differences.astype(np.float64)
    lean = _sign(math.fsum(values.tolist()))
    if len(values) and not values.any():
        return Finding(1.0, 0, len(values))
    if len(values) < 2 or (values == values[0]).all():
        return Finding(math.nan, lean, len(values))
    return Finding(float(scipy.stats.ttest_1samp(values, 0.0).pvalue), lean, len(values))


def sign_test(a_wins: int, b_wins: int) -> Finding:
    """Test whether A and B each win half of the decided queries (exact binomial); p is 1 if no query is decided."""
    decided = a_wins + b_wins
    p = float(scipy.stats.binomtest(b_wins, decided, 0.5).pvalue) if decided else 1.0
    return Finding(p, _sign(b_wins - a_wins), decided)


def mean_or_nan(values: Differences) -> float:
    """Return the correctly rounded mean; NaN if there are no values."""
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan


def mean_interval(differences: Differences, level: float) -> Interval:
    """Return the mean difference with Student's t interval, which excludes 0 if ``paired_t`` has p < 1 - level.

    If all differences are the same, both bounds are that difference. For fewer than two differences they are NaN.
    """
    values = differences.astype(np.float64)
    mean = mean_or_nan(values)
    if len(values) < 2:
        return Interval(mean, math.nan, math.nan)
    if (values == values[0]).all():
        return Interval(*[float(values[0])] * 3)
    half = float(scipy.stats.t.ppf((1 + level) / 2, len(values) - 1) * scipy.stats.sem(values))
    return Interval(mean, mean - half, mean + half)


def share_interval(a_wins: int, b_wins: int, queries: int, level: float) -> Interval:
    """Return the share of queries that A wins minus the share that B wins, with a Clopper-Pearson interval.

    The interval is that of A's share of the decided queries, scaled to all queries. It is conditional on the number
    of decided queries, so it matches the sign test. The bounds are nan if no query is decided.
    """
    decided = a_wins + b_wins
    if decided == 0:
        return Interval(0.0 if queries else math.nan, math.nan, math.nan)
    found = scipy.stats.binomtest(a_wins, decided).proportion_ci(level, method="exact")
    scale = decided / queries
    return Interval((a_wins - b_wins) / queries, (2 * found.low - 1) * scale, (2 * found.high - 1) * scale)


def bonferroni(p: float, comparisons: int) -> float:
    """Return p with Bonferroni's correction: multiplied by the number of tests, at most 1. NaN stays NaN."""
    return p if math.isnan(p) else min(1.0, p * comparisons)


def _sign_flip_p(doubled: Ranks, positive: int) -> float:
    """Return the exact two-sided p of ``positive``, the sum of the ranks of positive differences.

    Under the null hypothesis, every sign is a fair coin flip. Tied ranks can be halves, so ranks and their sum are
    doubled to get integers.
    """
    total = int(doubled.sum())
    ways = np.zeros(total + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        flipped = np.zeros_like(ways)
        flipped[rank:] = ways[: total + 1 - rank]
        ways = (ways + flipped) / 2
    least = min(positive, total - positive)
    return min(1.0, 2 * math.fsum(ways[: least + 1].tolist()))


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
