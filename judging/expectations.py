"""Pure: what screening does to a kind of worker and to the budget, before anybody works.

A worker fails each gold pair with chance *s*, independently: an honest one slips, a careless one guesses. A task
holds *g* gold pairs, and the worker would do *T* tasks, but stops when excluded. A task with a failed gold pair is
repeated; nothing of an excluded worker counts. With x_n the least number of failures among n gold pairs that excludes
(:func:`judging.screening.excluding_failures`), F_k(f) the chance of being still there after k tasks with f failures,
and P_k(f) the same weighted by the tasks passed so far:

    F_k(f) = Σ_j F_{k−1}(f − j) · b(j),   P_k(f) = Σ_j P_{k−1}(f − j) · b(j) + F_{k−1}(f) · b(0)

with b the binomial chances of j failures among g, then dropped where f ≥ x_{gk}. So

    tasks submitted     N = Σ_k Σ_f F_{k−1}(f)
    tasks counted       C = Σ_f P_T(f)
    excluded share      1 − Σ_f F_T(f)
    repeated share      1 − C / N

Under ``reference`` (Arabzadeh et al., *Shallow pooling for sparse labels*, section 3.1) they are, with
q = (1 − s)^g: N = (1 − q^T) / (1 − q), C = T · q^T, excluded 1 − q^T.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import scipy  # loads scipy.special when it is first used: it would be a third of a second of every command

from judging.screening import SLIP_RATE, excluding_failures
from judging.slips import Slips

#: A larger share means that hardly a task would ever count: no cost can be named.
HOPELESS = 0.99
#: So many people share a campaign's tasks, where nothing else is known: none of them does more than their part.
PEOPLE = 5


@dataclass(frozen=True)
class Expectation:
    """What becomes of one worker: chance of being excluded, mean numbers of tasks submitted and counted."""

    tasks_per_worker: int
    excluded_share: float
    submitted: float
    counted: float

    @property
    def repeated_share(self) -> float:
        """The share of submitted tasks that are repeated."""
        return _share(1 - self.counted / self.submitted) if self.submitted else 0.0

    def cost(self, without_repeats: Decimal) -> Decimal | None:
        """Dollars with the expected repeats, in cents; None when there is no end of them."""
        if self.repeated_share > HOPELESS:
            return None
        return (without_repeats / Decimal(1 - self.repeated_share)).quantize(Decimal("0.01"))


@dataclass(frozen=True)
class Outlook:
    """What screening does to honest workers, over a range of slip rates."""

    slips: Slips
    low: Expectation
    expected: Expectation
    high: Expectation

    def costs(self, without_repeats: Decimal) -> tuple[Decimal | None, Decimal | None, Decimal | None]:
        """Dollars with repeats at the low, expected and high slip rate; None when there is no end of them."""
        low, expected, high = (one.cost(without_repeats) for one in (self.low, self.expected, self.high))
        return low, expected, high


def expect(
    *,
    slip_rate: float,
    gold_per_task: int,
    tasks_per_worker: int,
    rule: str,
    allowed: float = SLIP_RATE,
) -> Expectation:
    """What to expect of a worker who fails gold pairs at ``slip_rate`` and does up to ``tasks_per_worker`` tasks.

    ``allowed`` is the slip rate that the rule ``rate`` grants. Raises ValueError for a slip rate outside [0, 1], a
    negative number of gold pairs, less than one task, or an unknown rule.
    """
    if not 0 <= slip_rate <= 1 or gold_per_task < 0 or tasks_per_worker < 1:
        raise ValueError("a slip rate is a share, and a worker does at least one task")
    failures = np.arange(gold_per_task + 1)
    slips = (
        scipy.special.binom(gold_per_task, failures)
        * slip_rate**failures
        * (1 - slip_rate) ** (gold_per_task - failures)
    )
    there, passed = np.array([1.0]), np.array([0.0])
    submitted = 0.0
    for done in range(1, tasks_per_worker + 1):
        submitted += float(there.sum())
        before = np.pad(there * slips[0], (0, gold_per_task))
        passed = np.convolve(passed, slips) + before
        there = np.convolve(there, slips)
        excludes = excluding_failures(rule, gold_per_task * done, allowed)
        there, passed = there[:excludes], passed[:excludes]
    return Expectation(tasks_per_worker, _share(1 - float(there.sum())), submitted, float(passed.sum()))


def outlook(
    slips: Slips, *, gold_per_task: int, tasks_per_worker: int, rule: str, allowed: float = SLIP_RATE
) -> Outlook:
    """What to expect of honest workers at each end of a range of slip rates, and between."""
    low, expected, high = (
        expect(
            slip_rate=rate,
            gold_per_task=gold_per_task,
            tasks_per_worker=tasks_per_worker,
            rule=rule,
            allowed=allowed,
        )
        for rate in (slips.low, slips.expected, slips.high)
    )
    return Outlook(slips, low, expected, high)


def tasks_a_worker(most: int, tasks: int, judgments_per_pair: int = 1) -> int:
    """How many of a campaign's tasks one worker can really do.

    Never more than ``most``, than the tasks in which no pair comes a second time, or than the part of one of
    :data:`PEOPLE` people who share them.
    """
    return max(1, min(most, tasks // judgments_per_pair, -(-tasks // PEOPLE)))


def _share(value: float) -> float:
    """The value within [0, 1], which rounding may have left by a hair."""
    return min(1.0, max(0.0, value))
