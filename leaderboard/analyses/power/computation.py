"""Power of the paired t-test over queries: detectable differences, and numbers of queries needed.

For n differences with standard deviation s and true mean d, the test statistic has a noncentral t distribution. Its
degrees of freedom are n - 1, and its noncentrality is d · √n / s. See Webber, Moffat & Zobel, *Statistical power in
retrieval experimentation* (CIKM 2008); Sakai, *Topic set size design* (Information Retrieval Journal 19, 2016).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.optimize on first use
from scipy.special import gammainc, gammainccinv, gammaincinv, ndtr, stdtrit

POWER = 0.8
#: Standard deviations below this are rounding errors: the two runs have the same difference on every query.
SAME = 1e-7
#: The maximum number of queries that :func:`queries_needed` considers.
MOST_QUERIES = 10_000_000
#: For quadrature: nodes and weights on [-1, 1], bounds of a standard normal variable, and the tail mass left out.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)
EDGE = 9.0
TAIL = 1e-14
#: From this many degrees of freedom on, the integral is over the standard deviation, not over the normal variable.
BY_DEVIATION_FROM = 30

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Wanted:
    """The required test: two-sided, at level ``alpha``, with probability ``power`` of detection."""

    alpha: float
    power: float

    def among(self, comparisons: int) -> Wanted:
        """Return the requirement for each of ``comparisons`` tests, with Bonferroni's correction."""
        return Wanted(self.alpha / max(1, comparisons), self.power)


@dataclass(frozen=True)
class Pairs:
    """Every pair of runs (indexes ``first`` < ``second``), with statistics of their differences over queries.

    ``difference`` is the absolute difference of the means. ``deviation`` is the standard deviation of the
    differences.
    """

    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    difference: Floats
    deviation: Floats

    @property
    def told(self) -> npt.NDArray[np.bool_]:
        """A mask of the pairs whose differences vary from query to query."""
        return self.deviation > 0


def run_pairs(values: Floats) -> Pairs:
    """Return every pair of runs. ``values`` has the shape (runs, queries), with at least two queries."""
    first, second = np.triu_indices(len(values), k=1)
    means = values.mean(axis=1)
    centred = values - means[:, None]
    covariance = centred @ centred.T / (values.shape[1] - 1)
    variance = covariance.diagonal()
    spread = variance[first] + variance[second] - 2 * covariance[first, second]
    deviation = np.sqrt(np.maximum(spread, 0))
    deviation[deviation < SAME] = 0
    return Pairs(
        first.astype(np.int64), second.astype(np.int64), np.abs(means[first] - means[second]), deviation
    )


def power_of(queries: int, effect: float, alpha: float) -> float:
    """Return the probability that the test on this many queries finds a true difference.

    ``effect`` is the true difference divided by the standard deviation of the differences.
    """
    freedom, noncentrality = queries - 1, effect * math.sqrt(queries)
    critical = float(-stdtrit(freedom, alpha / 2))
    beyond = _beyond_by_mean if freedom < BY_DEVIATION_FROM else _beyond_by_deviation
    return beyond(critical, freedom, noncentrality) + beyond(critical, freedom, -noncentrality)


# P(T > c) of the noncentral t, T = (Z + δ) / S, is computed by quadrature. scipy's distribution returns nan for many
# levels that are divided by the number of pairs. With few degrees of freedom, S varies widely and the integral is
# over Z; with many, it is over S.
def _beyond_by_mean(critical: float, freedom: int, noncentrality: float) -> float:
    low = max(-EDGE, -noncentrality)  # T is positive only where Z + δ is positive
    if low >= EDGE:
        return 0.0
    mean = (low + EDGE) / 2 + (EDGE - low) / 2 * NODES
    smaller = gammainc(freedom / 2, freedom / 2 * ((mean + noncentrality) / critical) ** 2)
    density = np.exp(-(mean**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS * (EDGE - low) / 2
    return float((density * smaller).sum())


def _beyond_by_deviation(critical: float, freedom: int, noncentrality: float) -> float:
    low = math.sqrt(2 * gammaincinv(freedom / 2, TAIL) / freedom)
    high = math.sqrt(2 * gammainccinv(freedom / 2, TAIL) / freedom)
    deviation = (low + high) / 2 + (high - low) / 2 * NODES
    logarithm = (freedom - 1) * np.log(deviation) - freedom * deviation**2 / 2
    density = np.exp(logarithm - logarithm.max()) * WEIGHTS
    return float((density * ndtr(noncentrality - critical * deviation)).sum() / density.sum())


def detectable_effect(queries: int, wanted: Wanted) -> float:
    """Return the smallest true difference, in standard deviations, that is found with the required power.

    Returns nan for fewer than two queries, or if even a difference of a billion standard deviations would not be
    detected.
    """
    if queries < 2:
        return math.nan
    high = 1 / math.sqrt(queries)
    while not power_of(queries, high, wanted.alpha) >= wanted.power:
        high *= 2
        if high > 1e9:
            return math.nan
    return float(
        scipy.optimize.brentq(
            lambda effect: power_of(queries, effect, wanted.alpha) - wanted.power, 0.0, high, xtol=1e-12
        )
    )


def queries_needed(effect: float, wanted: Wanted) -> int | None:
    """Return how many queries (at least 2) are needed to detect this effect with the required power.

    Returns None if the effect is 0, or if more than ten million queries are needed.
    """
    if not effect > 0 or power_of(MOST_QUERIES, effect, wanted.alpha) < wanted.power:
        return None
    low, high = 1, 2
    while power_of(high, effect, wanted.alpha) < wanted.power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(middle, effect, wanted.alpha) < wanted.power:
            low = middle
        else:
            high = middle
    return high
