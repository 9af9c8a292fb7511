"""Two runs on the same queries by any measure: the mean difference, its interval and p-value, and wins per run."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.analyses.compare.significance import mean_interval, mean_or_nan, paired_t

ALPHA = 0.05
#: Differences smaller than this are rounding errors and count as 0.
SAME = 1e-12

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HeadToHead:
    """Runs A and B compared over the queries on which both have a value. Differences are B minus A.

    ``low`` and ``high`` bound the 95% interval of the mean difference by Student's distribution, and ``p`` comes from
    the two-sided paired t-test. So the interval excludes 0 if p is below 0.05. The bounds are nan for fewer than two
    queries. ``p`` is nan if there are no queries, or if all differences (or the only one) are the same and not 0.
    """

    queries: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    a_wins: int
    b_wins: int
    higher_is_better: bool

    @property
    def tied(self) -> int:
        """The number of queries on which both runs have the same value."""
        return self.queries - self.a_wins - self.b_wins

    @property
    def better(self) -> str:
        """The significantly better run, "a" or "b"; empty if the difference is not significant."""
        if not self.p <= ALPHA:
            return ""
        return "b" if (self.difference > 0) == self.higher_is_better else "a"


def head_to_head(a: Values, b: Values, *, higher_is_better: bool = True) -> HeadToHead:
    """Compare the values of runs A and B on the same queries; shape (queries,) each, nan where a run has no value."""
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    differences = b - a
    differences[np.abs(differences) < SAME] = 0.0
    gains = differences if higher_is_better else -differences
    bounds = mean_interval(differences, 1 - ALPHA)
    return HeadToHead(
        queries=len(a),
        mean_a=mean_or_nan(a),
        mean_b=mean_or_nan(b),
        difference=bounds.value,
        low=bounds.low,
        high=bounds.high,
        p=paired_t(differences).p,
        a_wins=int((gains < 0).sum()),
        b_wins=int((gains > 0).sum()),
        higher_is_better=higher_is_better,
    )
