"""Do public and private queries tell the same of a team's successive runs? Signs of fitting the public ones.

A public board invites choosing what does well on it (Craswell et al., SIGIR 2021 [MM], on private evaluation). Values
on the two sets of queries differ anyway, since one is harder; what should not differ is how far a team's later
run is ahead of its first one. Δ is the later run's value minus the first's, query by query. When the mean Δ on
public queries exceeds the mean Δ on private ones by more than chance allows (Welch's t, two-sided, p ≤ α: the two
sets are independent samples of queries), and the public value rose, that looks like overfitting. With several
later runs each is tested at α divided by their number (Bonferroni within the team); the interval of the
difference of the gains has that level too, so that it leaves 0 out exactly where the test is significant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.stats when it is first used: it would be a second of every command

Floats = npt.NDArray[np.float64]
ALPHA = 0.05
# What rounding leaves of equal differences.
NO_SPREAD = 1e-12


@dataclass(frozen=True)
class Step:
    """A later run against its team's first: gains on either set of queries, and whether they part ways."""

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
        """How much more was gained on public queries."""
        return self.public_gain - self.private_gain


def divergence(
    public: Floats,
    private: Floats,
    order: Sequence[int],
    *,
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> tuple[Step, ...]:
    """Steps of one team, whose runs are the rows ``order`` from first to last; values are runs × queries.

    Gains are positive for the better, whichever direction the measure has. Raises ValueError for fewer than two
    queries of either kind.
    """
    if min(public.shape[1], private.shape[1]) < 2:
        raise ValueError("at least two public and two private queries are needed")
    sign = 1.0 if higher_is_better else -1.0
    first, *later = order
    return tuple(
        _step(
            run,
            sign * (public[run] - public[first]),
            sign * (private[run] - private[first]),
            alpha / len(later),
        )
        for run in later
    )


def _step(run: int, public: Floats, private: Floats, alpha: float) -> Step:
    p = welch_p(public, private)
    gained = float(public.mean()), float(private.mean())
    bounds = welch_bounds(public, private, alpha)
    return Step(run, *gained, p, *bounds, overfitting=p <= alpha and gained[0] > max(0.0, gained[1]))


def welch_p(one: Floats, other: Floats) -> float:
    """Two-sided p of Welch's t; without any spread 1 for equal means and 0 for unequal ones."""
    if max(np.ptp(one), np.ptp(other)) < NO_SPREAD:
        return float(abs(one[0] - other[0]) < NO_SPREAD)
    sides = [(side.mean(), side.std(ddof=1), len(side)) for side in (one, other)]
    return float(scipy.stats.ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue)


def welch_bounds(one: Floats, other: Floats, alpha: float) -> tuple[float, float]:
    """Bounds of mean(one) − mean(other) at level 1 − ``alpha``, by Welch's t; without any spread the difference."""
    apart = float(one.mean() - other.mean())
    if max(np.ptp(one), np.ptp(other)) < NO_SPREAD:
        return apart, apart
    errors = np.array([side.var(ddof=1) / len(side) for side in (one, other)])
    freedom = errors.sum() ** 2 / (errors**2 / (len(one) - 1, len(other) - 1)).sum()
    reach = float(scipy.stats.t.ppf(1 - alpha / 2, freedom) * np.sqrt(errors.sum()))
    return apart - reach, apart + reach
