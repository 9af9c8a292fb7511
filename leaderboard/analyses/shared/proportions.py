"""Intervals of a share, and the exact test of a share against one half.

*Exact* is Clopper & Pearson (Biometrika 26, 1934): its coverage is never below its level, so it is wide. *Wilson*
is Wilson's score interval (JASA 22, 1927): its average coverage is its level (Brown, Cai & DasGupta, Statistical
Science 16, 2001). Both assume independent observations.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import scipy  # loads its parts on first use, which saves every other command a second

from leaderboard.output.table import Estimate

LEVEL = 0.95
Floats = npt.NDArray[np.float64]


class Interval(StrEnum):
    """The method for the interval of a share."""

    WILSON = "wilson"
    EXACT = "exact"


@dataclass(frozen=True)
class Share:
    """``count`` of ``total``, with its interval; the share and its bounds are None if the total is 0."""

    count: int
    total: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None

    @property
    def estimate(self) -> Estimate:
        return self.value, self.low, self.high


def share_with_bounds(count: int, total: int, *, interval: Interval = Interval.WILSON) -> Share:
    """Return the share ``count`` / ``total`` with its 95% interval. Raises ValueError unless 0 ≤ count ≤ total."""
    if not 0 <= count <= total:
        raise ValueError(f"{count} of {total} is not a share")
    if not total:
        return Share(0, 0, None, None)
    bounds = scipy.stats.binomtest(count, total).proportion_ci(LEVEL, method=interval.value)
    return Share(count, total, float(bounds.low), float(bounds.high))


def sign_test_p(wins: npt.ArrayLike, losses: npt.ArrayLike) -> Floats:
    """Return the exact two-sided binomial p of wins against losses at even odds; 1 if there are neither.

    Both arrays contain counts and have the same shape. At even odds the distribution is symmetric, so p is twice the
    smaller tail (at most 1). This equals the p of scipy's ``binomtest``, but needs no search.
    """
    won, lost = np.asarray(wins, dtype=np.int64), np.asarray(losses, dtype=np.int64)
    found: Floats = np.minimum(1.0, 2.0 * scipy.special.bdtr(np.minimum(won, lost), won + lost, 0.5))
    return found
