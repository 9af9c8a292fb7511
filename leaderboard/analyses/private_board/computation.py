"""Do public and private queries agree about a team's successive runs? Signs of overfitting to public queries.

A public board invites choosing runs that do well on it (Craswell et al., SIGIR 2021 [MM], on private evaluation).
Values on the two sets of queries differ anyway, because one set is harder. The gain of a team's later run over its
first run should not differ. Δ is the later run's value minus the first's, query by query. A run looks like
overfitting if its public value rose and its mean Δ on public queries exceeds the mean Δ on private queries by more
than chance allows. The test is Welch's t, two-sided, p ≤ α: the two sets are independent samples of queries. With
several later runs, each is tested at α divided by their number (Bonferroni within the team). The interval of the
difference of the gains has that level too, so it excludes 0 exactly if the test is significant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.stats on first use, which saves every other command a second

Floats = npt.NDArray[np.float64]
ALPHA = 0.05
# Largest spread that rounding can leave in equal differences.
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
        """Return how much more was gained on public queries."""
        return self.public_gain - self.private_gain


def divergence(
    public: Floats,
    private: Floats,
    order: Sequence[int],
    *,
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> tuple[Step, ...]:
    """Return the steps of one team, whose runs are the rows ``order`` from first to last; values are runs × queries.

    Gains are positive for the better run, whichever direction the measure has. Raises ValueError for fewer than
    two queries of either kind.
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
    """Return the two-sided p of Welch's t. Without any spread it is 1 for equal means, else 0."""
    if max(np.ptp(one), np.ptp(other)) < NO_SPREAD:
        return float(abs(one[0] - other[0]) < NO_SPREAD)
    sides = [(side.mean(), side.std(ddof=1), len(side)) for side in (one, other)]
    return float(scipy.stats.ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue)


def welch_bounds(one: Floats, other: Floats, alpha: float) -> tuple[float, float]:
    """Return bounds of mean(one) − mean(other) at level 1 − ``alpha`` by Welch's t.

    Without any spread, both bounds are the difference.
    """
    apart = float(one.mean() - other.mean())
    if max(np.ptp(one), np.ptp(other)) < NO_SPREAD:
        return apart, apart
    errors = np.array([side.var(ddof=1) / len(side) for side in (one, other)])
    freedom = errors.sum() ** 2 / (errors**2 / (len(one) - 1, len(other) - 1)).sum()
    reach = float(scipy.stats.t.ppf(1 - alpha / 2, freedom) * np.sqrt(errors.sum()))
    return apart - reach, apart + reach
