"""The spread of one measure over all runs, query by query.

As in figures 8 and 9 of Craswell et al., *Overview of the TREC 2022 Deep Learning Track*: queries are ordered by
their median over runs. Queries whose median is the highest value are counted, because they tell few runs apart.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: Values are rounded to this many decimals, so that rounding errors break no ties.
DECIMALS = 12
#: The highest value of every measure that can rank runs.
HIGHEST = 1.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """Statistics of the runs' values on each query; arrays have the shape (queries,).

    ``lower`` and ``upper`` are quartiles. ``at_best`` is the number of runs with the query's best value.
    """

    low: Floats
    lower: Floats
    median: Floats
    upper: Floats
    high: Floats
    mean: Floats
    deviation: Floats
    at_best: npt.NDArray[np.int64]

    @property
    def order(self) -> list[int]:
        """Indexes of the queries by descending median, then by descending mean."""
        return [int(query) for query in np.lexsort((-self.mean, -self.median))]

    @property
    def saturated(self) -> npt.NDArray[np.bool_]:
        """A mask of the queries whose median is the highest possible value of the measure."""
        return self.median >= HIGHEST

    @property
    def level_at_top(self) -> npt.NDArray[np.bool_]:
        """A mask of the queries whose median equals the best run's value, and is above 0."""
        mask: npt.NDArray[np.bool_] = (self.median == self.high) & (self.high > 0)
        return mask

    @property
    def unanswered(self) -> npt.NDArray[np.bool_]:
        """A mask of the queries on which the value of every run is 0."""
        return self.high <= 0


def query_spread(values: Floats) -> Spread:
    """Return statistics of ``values``, shape (runs, queries), on each query.

    There must be at least one run, and higher values are better. Quartiles are interpolated linearly between the two
    nearest runs, like numpy's.
    """
    exact = values.round(DECIMALS)
    # Sorting once is much faster than calling numpy for each quantile.
    ordered = np.sort(np.ascontiguousarray(exact.T), axis=1)
    high = ordered[:, -1]
    return Spread(
        low=ordered[:, 0],
        lower=_quantile(ordered, 0.25),
        median=_quantile(ordered, 0.5),
        upper=_quantile(ordered, 0.75),
        high=high,
        mean=exact.mean(axis=0),
        deviation=exact.std(axis=0, ddof=1) if len(exact) > 1 else np.zeros(exact.shape[1]),
        at_best=(ordered == high[:, None]).sum(axis=1).astype(np.int64),
    )


def _quantile(ordered: Floats, share: float) -> Floats:
    """Return the quantile of each row at ``share``. The values of a row must ascend."""
    place = share * (ordered.shape[1] - 1)
    below = int(place)
    above = min(below + 1, ordered.shape[1] - 1)
    part = place - below
    quantile: Floats = (ordered[:, below] + part * (ordered[:, above] - ordered[:, below])).round(DECIMALS)
    return quantile
