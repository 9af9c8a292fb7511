"""The ranks that a run may truly have: ranges instead of an order that the queries do not support.

A run is *better* than another if the difference of their means is significant when all pairs of runs are tested at
once. The test is a bootstrap of the largest studentized difference (single-step max-T; Westfall & Young,
*Resampling-Based Multiple Testing*, 1993). Carterette ("Multiple Testing in Statistical Analysis of Systems-Based
Information Retrieval Experiments", TOIS 2012) tests all pairs of systems in the same way with permutations. With
probability ``level``, no run is called better than an equally good one.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

#: Standard errors below this are rounding errors: the two runs differ by the same amount in every resample.
SAME = 1e-12
CACHED_BYTES = 2**17

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RankRanges:
    """The range of ranks of each run.

    ``first`` is 1 + the number of runs that are better. ``last`` is the number of runs that are not worse, including
    the run itself.
    """

    first: Ranks
    last: Ranks


def rank_ranges(means: Floats, resampled: Floats, *, queries: int, level: float) -> RankRanges:
    """Return the range of ranks of each run over this many queries.

    ``means`` has one mean per run; higher is better, and nan stands for a run without any value. ``resampled`` has
    the runs' means in resamples of the queries, which are the same for all runs, shape (runs, trials). Runs without a
    value come last.
    """
    known = np.flatnonzero(np.isfinite(means))
    count = len(means)
    first = np.full(count, len(known) + 1, dtype=np.int64)
    last = np.full(count, count, dtype=np.int64)
    if len(known):
        better = _better(means[known], resampled[known], queries, level)
        first[known] = 1 + better.sum(axis=0)
        last[known] = len(known) - better.sum(axis=1)
    return RankRanges(first, last)


def _better(means: Floats, resampled: Floats, queries: int, level: float) -> npt.NDArray[np.bool_]:
    """Return whether the run of the row is better than the run of the column, shape (runs, runs)."""
    centred = resampled[:, np.isfinite(resampled).all(axis=0)] - means[:, None]
    trials = centred.shape[1]
    if trials < 2 or queries < 2:
        return np.zeros((len(means), len(means)), dtype=bool)
    deviations = centred - centred.mean(axis=1, keepdims=True)
    covariance = deviations @ deviations.T / (trials - 1)
    variance = covariance.diagonal()
    # The variance of resampled means is too small by the factor (n - 1) / n.
    spread = np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0) * queries / (queries - 1)
    errors = np.sqrt(spread)
    told = errors > SAME
    weights = np.divide(1.0, errors, out=np.zeros_like(errors), where=told)
    largest = _largest_difference(centred, weights)
    # Standard errors are estimates, so Student's distribution replaces the normal distribution at the same level.
    critical = -stdtrit(queries - 1, ndtr(-np.quantile(largest, level)))
    difference = means[:, None] - means[None, :]
    better: npt.NDArray[np.bool_] = told & (difference > critical * errors)
    return better


def _largest_difference(centred: Floats, weights: Floats) -> Floats:
    """Return, for each trial, the largest weighted difference of any two runs."""
    largest = np.zeros(centred.shape[1])
    # Pairs are processed in blocks, so that a block stays in the processor's cache for all trials.
    rows = max(1, CACHED_BYTES // (8 * len(centred)))
    for start in range(0, len(centred), rows):
        some = slice(start, start + rows)
        weight = weights[some]
        differences = np.empty_like(weight)
        for trial, means in enumerate(np.ascontiguousarray(centred.T)):
            np.subtract(means[some, None], means[None, :], out=differences)
            np.multiply(differences, weight, out=differences)
            largest[trial] = max(largest[trial], differences.max())
    return largest
