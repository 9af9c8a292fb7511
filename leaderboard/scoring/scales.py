"""Compare the values of a measure, exactly if possible."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.scoring.measures import Measure, ReciprocalRank

# RR@10 is 1/rank with rank ≤ 10, or 0. Times this it is an integer, so means and ties between runs are exact.
WHOLE = 2520
# Means of other measures are compared to this many decimal places.
DIGITS = 12

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """How to compare values: whether higher is better, and the factor ``whole`` that makes them integers, if any."""

    higher_is_better: bool = True
    whole: int | None = WHOLE

    def means(self, values: Values) -> Values:
        """Return the mean of each row (rows × queries) over the queries that have a value; nan if none has."""
        known = ~np.isnan(values)
        there = known.sum(axis=1)
        if self.whole is None:
            total = np.array([math.fsum(row[has]) for row, has in zip(values, known, strict=True)])
        else:
            total = np.rint(values * self.whole).sum(axis=1)
        means: Values = np.divide(
            total, there * (self.whole or 1), out=np.full(len(values), np.nan), where=there > 0
        )
        return means

    def standings(self, values: Values) -> Values:
        """Return one number per row: higher is better, equal for equal runs, -inf for a run without any value."""
        means = self.means(values)
        # Sums of integers are exact. Float sums of equal values can differ in their last digits.
        settled = np.rint(means * self.whole * values.shape[1]) if self.whole else np.round(means, DIGITS)
        return np.where(np.isnan(means), -np.inf, settled if self.higher_is_better else -settled)


def scale_of(measure: Measure) -> Scale:
    """Return the scale that compares the measure's values."""
    whole = measure.unit if isinstance(measure, ReciprocalRank) else None
    return Scale(measure.higher_is_better, whole)
