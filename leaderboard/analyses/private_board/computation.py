"""Signs of overfitting: gains of later runs on public queries that private queries do not confirm.

A public board tempts teams to choose runs that do well on it (Craswell et al., SIGIR 2021 [MM], on private
evaluation). Values on the two sets of queries differ anyway, because one set is harder. But the gain of a team's
later run over its first run should be about the same on both.

Δ is the later run's value minus the first run's value on a query. A later run shows signs of overfitting if its
public value rose and its mean Δ on public queries is significantly larger than on private queries. The test is
Welch's t-test, two-sided, p ≤ α, because the two sets are independent samples of queries. With several later runs,
each is tested at α divided by their number (Bonferroni within the team). The interval of the difference between the
gains has the same level, so it excludes 0 exactly when the test is significant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.stats on first use, which saves every other command a second

Floats = npt.NDArray[np.float64]
ALPHA = 0.05
# The largest spread that rounding errors can cause among equal differences.
NO_SPREAD = 1e-12


@dataclass(frozen=True)
class Step:
    """A later run compared with its team's first: gains on public and private queries, and whether they diverge."""

    run: int
    public_gain: float
    private_gain: float
    p: float
    low: float
    high: float
    """Bounds of the difference of the gains, at the level of the test."""
    overfitting: bool

    @property
    def excess(self) -> float:
        """The gain on public queries minus the gain on private queries."""
        return self.public_gain - self.private_gain


def divergence(
    public: Floats,
    private: Floats,
    order: Sequence[int],
    *,
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> tuple[Step, ...]:
    """Compare each later run of one team with the team's first run.

    ``public`` and ``private`` have values of all runs, shape (runs, queries). ``order`` has the rows of the team's
    runs, in order of time. Gains are positive if the later run is better, even for measures whose lower values are
    better. Raises ValueError for fewer than two public or two private queries.
    """
    if min(public.shape[1], private.shape[1]) < 2:
        raise ValueError("at least two public and two private queries are needed")
    sign = 1.0 if higher_is_better else -1.0
    first, *later = order
    return tuple(
        _gain_over_first(
            run,
            sign * (public[run] - public[first]),
            sign * (private[run] - private[first]),
            alpha / len(later),
        )
        for run in later
    )


def _gain_over_first(run: int, public: Floats, private: Floats, alpha: float) -> Step:
    p = welch_p(public, private)
    gained = float(public.mean()), float(private.mean())
    bounds = welch_bounds(public, private, alpha)
    return Step(run, *gained, p, *bounds, overfitting=p <= alpha and gained[0] > max(0.0, gained[1]))


def welch_p(one: Floats, other: Floats) -> float:
    """Return the two-sided p of Welch's t-test. If neither sample varies, p is 1 for equal means, else 0."""
    if max(np.ptp(one), np.ptp(other)) < NO_SPREAD:
        return float(abs(one[0] - other[0]) < NO_SPREAD)
    sides = [(side.mean(), side.std(ddof=1), len(side)) for side in (one, other)]
    return float(scipy.stats.ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue)


def welch_bounds(one: Floats, other: Floats, alpha: float) -> tuple[float, float]:
    """Return the bounds of mean(one) − mean(other) at level 1 − ``alpha`` by Welch's t.

    If neither sample varies, both bounds are the difference.
    """
    apart = float(one.mean() - other.mean())
    if max(np.ptp(one), np.ptp(other)) < NO_SPREAD:
        return apart, apart
    errors = np.array([side.var(ddof=1) / len(side) for side in (one, other)])
    freedom = errors.sum() ** 2 / (errors**2 / (len(one) - 1, len(other) - 1)).sum()
    reach = float(scipy.stats.t.ppf(1 - alpha / 2, freedom) * np.sqrt(errors.sum()))
    return apart - reach, apart + reach
