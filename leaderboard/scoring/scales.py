"""Compare the values of a measure between runs, exactly if possible."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.scoring.measures import Measure, ReciprocalRank

# RR@10 is 1/rank with rank ≤ 10, or 0. Multiplied by this, it is an integer, so means and ties of runs are exact.
WHOLE = 2520
# Means of other measures are rounded to this many decimals before they are compared.
DIGITS = 12

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """How to compare a measure's values. ``whole`` is the factor that turns them into integers, or None."""

    higher_is_better: bool = True
    whole: int | None = WHOLE

    def means(self, values: Values) -> Values:
        """Return the mean of each row of ``values`` over its queries with a value; nan if it has none.

        ``values`` has the shape (rows, queries).
        """
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
        """Return a number to rank each row by: higher is better, equal if runs are equal, -inf without a value."""
        means = self.means(values)
        # Sums of integers are exact. Float sums of equal values can differ in their last digits.
        settled = np.rint(means * self.whole * values.shape[1]) if self.whole else np.round(means, DIGITS)
        return np.where(np.isnan(means), -np.inf, settled if self.higher_is_better else -settled)


def scale_of(measure: Measure) -> Scale:
    """Return the scale for comparing the measure's values."""
    whole = measure.unit if isinstance(measure, ReciprocalRank) else None
    return Scale(measure.higher_is_better, whole)
