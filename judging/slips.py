"""Pure: how often honest workers fail a gold pair: assumed from the papers, or measured in a pilot, as a range.

A measured rate is Jeffreys' estimate: after *f* failures among *n* answers the rate has the distribution
Beta(f + ½, n − f + ½). Its mean is expected, and its 95 % interval is the range (Brown, Cai and DasGupta, *Interval
estimation for a binomial proportion*, 2001). Without a failure the range begins at 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import scipy  # loads scipy.special when it is first used: it would be a third of a second of every command

#: Fewer answers of a pilot say less than the papers do.
LEAST_ANSWERS = 30
#: A worker who fails this share of at least so many gold pairs is not taken for an honest one.
CARELESS_SHARE, CARELESS_LEAST = 0.5, 3
MOST = 0.99


@dataclass(frozen=True)
class Slips:
    """The rate to expect, between a low and a high one. ``seen`` answers of a pilot were measured; 0: assumed."""

    low: float
    expected: float
    high: float
    failed: int = 0
    seen: int = 0
    careless: int = 0

    @property
    def source(self) -> str:
        """Say where the rate comes from."""
        if not self.seen:
            return "assumed; a pilot measures it"
        left_out = f"; {self.careless} who failed half or more left out" if self.careless else ""
        return f"measured in the pilot: {self.failed} of {self.seen} missed{left_out}"

    @property
    def expected_words(self) -> str:
        """Say the rate to expect in percent."""
        return f"{percent(self.expected)}%"

    @property
    def range_words(self) -> str:
        """Say the range in percent: "0.5 to 2 %"."""
        return f"{percent(self.low)} to {percent(self.high)}%"


def percent(share: float) -> str:
    """Write a share in percent with at most one decimal, without the sign."""
    return f"{100 * share:.1f}".removesuffix(".0")


def assumed(rate: float) -> Slips:
    """The range around an assumed rate: from half of it to twice as much."""
    return Slips(rate / 2, rate, min(MOST, 2 * rate))


def measured(answers: Iterable[tuple[int, bool]]) -> Slips | None:
    """The range from (worker, passed) answers; None where there are too few.

    Workers who failed half or more of at least three gold pairs are left out: they do not read.
    """
    counts: dict[int, list[int]] = {}
    for worker, passed in answers:
        of = counts.setdefault(worker, [0, 0])
        of[0] += not passed
        of[1] += 1
    honest = [(f, n) for f, n in counts.values() if n < CARELESS_LEAST or f < CARELESS_SHARE * n]
    failed, seen = sum(f for f, _ in honest), sum(n for _, n in honest)
    if seen < LEAST_ANSWERS:
        return None
    a, b = failed + 0.5, seen - failed + 0.5
    low = float(scipy.special.betaincinv(a, b, 0.025)) if failed else 0.0
    high = float(scipy.special.betaincinv(a, b, 0.975))
    return Slips(low, a / (a + b), min(MOST, high), failed, seen, len(counts) - len(honest))
