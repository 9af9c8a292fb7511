"""Pure: what screening costs honest people and the budget, before anybody works.

An honest worker slips on each gold pair with chance *s*, independently; a task holds *g* gold pairs, and the worker
would do *T* tasks, but stops when excluded. A task passes with chance q = (1 − s)^g.

``reference`` (Arabzadeh et al., *Shallow pooling for sparse labels*, section 3.1: one failed gold pair excludes and
nothing of the worker counts):

    excluded share      1 − q^T
    tasks submitted     N = (1 − q^T) / (1 − q)         (N = T when q = 1)
    tasks counted       C = T · q^T
    repeated share      1 − C / N

``rate`` (a task with a failed gold pair is repeated; f failures among the n = g·k gold pairs of the first k tasks
exclude when P(Binomial(n, s) ≥ f) < 0.01, and then nothing counts): the same shares from the exact distribution of
failures after each task, where those excluded before leave. With F_k(f) the chance of being still there after k tasks
with f failures, and P_k(f) the same weighted by the tasks passed so far:

    F_k(f) = Σ_j F_{k−1}(f − j) · b(j),   P_k(f) = Σ_j P_{k−1}(f − j) · b(j) + F_{k−1}(f) · b(0)

with b the binomial chances of j slips among g, then set to 0 where f excludes. N = Σ_k Σ_f F_{k−1}(f) and
C = Σ_f P_T(f).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import scipy  # loads scipy.special when it is first used: it would be a third of a second of every command
from numpy.typing import NDArray

from judging.screening import UNLIKELY

#: A larger share means that hardly a task would ever count: no cost can be named.
HOPELESS = 0.99


@dataclass(frozen=True)
class Expectation:
    """Shares between 0 and 1: honest workers excluded, and submitted tasks that are repeated."""

    tasks_per_worker: int
    excluded_share: float
    repeated_share: float

    def cost(self, without_repeats: Decimal) -> Decimal | None:
        """Dollars with the expected repeats, in cents; None when there is no end of them."""
        if self.repeated_share > HOPELESS:
            return None
        return (without_repeats / Decimal(1 - self.repeated_share)).quantize(Decimal("0.01"))


def expect(*, slip_rate: float, gold_per_task: int, tasks_per_worker: int, rule: str) -> Expectation:
    """What to expect of honest workers who do up to ``tasks_per_worker`` tasks each.

    Raises ValueError for a slip rate outside [0, 1), a negative number of gold pairs, less than one task, or a
    rule other than ``reference`` and ``rate``.
    """
    if not 0 <= slip_rate < 1 or gold_per_task < 0 or tasks_per_worker < 1:
        raise ValueError("a slip rate is a share below 1, and a worker does at least one task")
    if rule == "reference":
        return _reference(slip_rate, gold_per_task, tasks_per_worker)
    if rule == "rate":
        return _rate(slip_rate, gold_per_task, tasks_per_worker)
    raise ValueError(f"there is no screening rule called {rule!r}")


def _reference(slip_rate: float, gold: int, tasks: int) -> Expectation:
    passes = (1 - slip_rate) ** gold
    stays = passes**tasks
    # The sum of a geometric series, term by term: the closed form divides by 1 − q, which may vanish.
    submitted = float(np.sum(passes ** np.arange(tasks)))
    return Expectation(tasks, 1 - stays, _share(1 - tasks * stays / submitted))


def _rate(slip_rate: float, gold: int, tasks: int) -> Expectation:
    failures = np.arange(gold + 1)
    slips = scipy.special.binom(gold, failures) * slip_rate**failures * (1 - slip_rate) ** (gold - failures)
    there, passed = np.array([1.0]), np.array([0.0])
    submitted = 0.0
    for done in range(1, tasks + 1):
        submitted += float(there.sum())
        before = np.pad(there * slips[0], (0, gold))
        passed = np.convolve(passed, slips) + before
        there = np.convolve(there, slips)
        excludes = _excluding_failures(gold * done, slip_rate)
        there[excludes:], passed[excludes:] = 0.0, 0.0
    excluded = _share(1 - float(there.sum()))
    return Expectation(tasks, excluded, _share(1 - float(passed.sum()) / submitted))


def _excluding_failures(seen: int, slip_rate: float) -> int:
    """The least number of failures among ``seen`` gold pairs that excludes; one more than there are if none does."""
    chances: NDArray[np.floating] = scipy.special.bdtrc(
        np.arange(seen), seen, slip_rate
    )  # of 1, 2, … failures or more
    unlikely = np.flatnonzero(chances < UNLIKELY)
    return int(unlikely[0]) + 1 if len(unlikely) else seen + 1


def _share(value: float) -> float:
    """The value within [0, 1], which rounding may have left by a hair."""
    return min(1.0, max(0.0, value))
