"""The range of rates at which honest workers fail gold pairs, assumed from papers or measured in a pilot.

A rate is measured by Jeffreys' method: after *f* failures among *n* answers, it has the distribution
Beta(f + ½, n − f + ½). The mean is the expected rate, and the 95% interval is the range (Brown, Cai and DasGupta,
*Interval estimation for a binomial proportion*, 2001). Without a failure, the range begins at 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

#: The low end of an assumed range as a share of its high end. [SP]'s costs imply rates from 0.07% to 0.9%
#: (docs/methods-screening.md), rounded outward to 0.05% and 1%.
LOW_TO_HIGH = 0.05
#: The minimum number of gold answers in a pilot from which the measured rate replaces the assumption.
LEAST_ANSWERS = 30
#: The share of failed gold pairs from which a worker does not count as honest, and the least number of gold pairs
#: seen.
NOT_HONEST_FROM, NOT_HONEST_LEAST_SEEN = 0.5, 3
MOST = 0.99


@dataclass(frozen=True)
class Slips:
    """An expected slip rate, with the low and high ends of its range.

    A measured rate is based on ``seen`` gold answers, of which workers failed ``failed``. Answers of ``careless``
    workers (a number) are left out. For an assumed rate, ``seen`` is 0.
    """

    low: float
    expected: float
    high: float
    failed: int = 0
    seen: int = 0
    careless: int = 0

    @property
    def source(self) -> str:
        """Words that tell whether the rate is assumed or measured, and from how many answers."""
        if not self.seen:
            return "assumed; a pilot measures it"
        left_out = f"; {self.careless} who failed half or more are left out" if self.careless else ""
        return f"measured in the pilot: {self.failed} of {self.seen} missed{left_out}"

    @property
    def expected_words(self) -> str:
        """The expected rate as a percentage, such as "0.2%"."""
        return f"{percent_text(self.expected)}%"

    @property
    def range_words(self) -> str:
        """The range as percentages, such as "0.05 to 1%"."""
        return f"{percent_text(self.low)} to {percent_text(self.high)}%"


def percent_text(share: float) -> str:
    """Format a share as a percentage without the sign, with one decimal at most, or two below one percent."""
    decimals = 2 if 0 < share < 0.01 else 1
    return f"{100 * share:.{decimals}f}".rstrip("0").removesuffix(".")


def assumed(rate: float) -> Slips:
    """Return an assumed range whose high end is ``rate``. The expected rate is the geometric mean of both ends."""
    return Slips(LOW_TO_HIGH * rate, sqrt(LOW_TO_HIGH) * rate, min(MOST, rate))


def measured(answers: Iterable[tuple[int, bool]]) -> Slips | None:
    """Estimate the slip rate from gold answers of the form (worker, passed); None if there are too few.

    Workers who failed half or more of at least three gold pairs are left out, because they apparently do not read.
    """
    counts: dict[int, list[int]] = {}
    for worker, passed in answers:
        of = counts.setdefault(worker, [0, 0])
        of[0] += not passed
        of[1] += 1
    honest = [(f, n) for f, n in counts.values() if n < NOT_HONEST_LEAST_SEEN or f < NOT_HONEST_FROM * n]
    failed, seen = sum(f for f, _ in honest), sum(n for _, n in honest)
    if seen < LEAST_ANSWERS:
        return None
    a, b = failed + 0.5, seen - failed + 0.5
    low = float(scipy.special.betaincinv(a, b, 0.025)) if failed else 0.0
    high = float(scipy.special.betaincinv(a, b, 0.975))
    return Slips(low, a / (a + b), min(MOST, high), failed, seen, len(counts) - len(honest))
