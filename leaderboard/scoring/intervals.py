"""Confidence intervals for a mean over queries: the percentile bootstrap.

Efron & Tibshirani, *An Introduction to the Bootstrap* (1993), ch. 13. The queries are resampled, as in Craswell et
al. (SIGIR 2021) [MM] and [SP]. All runs and all sets of labels have the same resamples, so two rows can be compared
trial by trial.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TRIALS = 1000
SEED = 20220
LEVEL = 0.95
BLOCK_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Intervals:
    """Lower and upper bounds of the mean of each row of values; NaN for a row without any value."""

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]


def resample_counts(queries: int, trials: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return how often each query is drawn in each bootstrap sample, shape (trials, queries).

    Rows sum to ``queries``. Counts are float64, so that they can be multiplied by values without a copy.
    """
    drawn = rng.integers(0, queries, size=(trials, queries), dtype=np.int64)
    drawn += np.arange(trials, dtype=np.int64)[:, None] * queries
    counts = np.bincount(drawn.ravel(), minlength=trials * queries)
    return counts.reshape(trials, queries).astype(np.float64)


def resampled_means(
    values: npt.NDArray[np.float64],
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    whole: int | None = None,
) -> npt.NDArray[np.float64]:
    """Return the mean of each row of ``values`` in each resample of the queries, shape (rows, trials).

    ``values`` has the shape (rows, queries). Queries without a value (nan) are left out of every mean. The mean of a
    resample without any value is nan. With ``whole``, values times ``whole`` are integers (2520 for RR@10, because
    every rank to 10 divides it). Sums are then exact, whatever the order of summation or the machine. Counts are
    drawn in blocks of trials to limit memory, which does not change the draws.
    """
    rows, queries = values.shape
    if queries == 0:
        return np.full((rows, trials), np.nan)
    known = ~np.isnan(values)
    scaled = np.where(known, values if whole is None else np.rint(values * whole), 0.0)
    complete = bool(known.all())
    means = np.empty((rows, trials))
    block = max(1, BLOCK_BYTES // (16 * queries))
    for start in range(0, trials, block):
        counts = resample_counts(queries, min(block, trials - start), rng)
        some = slice(start, start + len(counts))
        means[:, some] = scaled @ counts.T
        if complete:
            means[:, some] /= queries * (whole or 1)
        else:
            drawn = known.astype(np.float64) @ counts.T * (whole or 1)
            means[:, some] = np.divide(
                means[:, some], drawn, out=np.full(drawn.shape, np.nan), where=drawn > 0
            )
    return means


def bootstrap_intervals(
    values: npt.NDArray[np.float64],
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    level: float = LEVEL,
    whole: int | None = None,
) -> Intervals:
    """Return the percentile interval of the mean of each row of ``values``, shape (rows, queries), at ``level``.

    Quantiles are interpolated linearly between the trials that have a mean, and are nan if none has. See
    ``resampled_means`` for ``whole``.
    """
    return intervals_of(resampled_means(values, rng=rng, trials=trials, whole=whole), level=level)


def intervals_of(means: npt.NDArray[np.float64], *, level: float = LEVEL) -> Intervals:
    """Return the percentile interval of each row of resampled means, shape (rows, trials)."""
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(means, ends, axis=1)
    for row in np.flatnonzero(np.isnan(means).any(axis=1)):
        there = means[row][~np.isnan(means[row])]
        low[row], high[row] = np.quantile(there, ends) if len(there) else (np.nan, np.nan)
    return Intervals(low=low, high=high)
