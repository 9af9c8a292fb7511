"""Forecast, before anybody works, how screening affects the budget and workers of a given slip rate.

A worker fails each gold pair independently with probability *s*: an honest one slips, a careless one guesses. A task
has *g* gold pairs. A task with a failed gold pair is repeated, and no work of an excluded worker counts.

Most people do few tasks. Let w_k be the share of workers who want to do at least k tasks. The forecast assumes w_k =
1/k for k ≤ T, the maximum number of tasks of one worker, and w_{T+1} = 0. So half of the workers want to do one task,
a few do most of the work, and the share who want exactly k is w_k − w_{k+1}. An exclusion stops a worker earlier.

Let b(j) be the binomial probability of j failures among g gold pairs. Let x_n be the smallest number of failures
among n gold pairs that excludes a worker (:func:`judging.rules.screening.excluding_failures`). Let F_k(f) be the
probability of having f failures after k tasks and not being excluded. Let P_k(f) be the mean number of tasks passed,
counted as 0 for a worker with another number of failures or an exclusion. Then

    F_k(f) = Σ_j F_{k−1}(f − j) · b(j),   P_k(f) = Σ_j P_{k−1}(f − j) · b(j) + F_{k−1}(f) · b(0)

for f < x_{gk}; both are 0 for larger f. So

    tasks submitted     N = Σ_k w_k · Σ_f F_{k−1}(f)
    tasks counted       C = Σ_k (w_k − w_{k+1}) · Σ_f P_k(f)
    excluded share      1 − Σ_k (w_k − w_{k+1}) · Σ_f F_k(f)
    repeated share      1 − C / N

Under ``reference`` (Arabzadeh et al., *Shallow pooling for sparse labels*, section 3.1), with q = (1 − s)^g, the sums
over f are q^(k−1) in N, k · q^k in C, and q^k in the excluded share.
"""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

from judging.rules.screening import SLIP_RATE, excluding_failures
from judging.rules.slips import Slips

#: The repeated share above which no cost is forecast, because almost no task would ever count.
HOPELESS = 0.99
#: The minimum number of people who are assumed to share a campaign's tasks.
PEOPLE = 5


@dataclass(frozen=True)
class Expectation:
    """The forecast for one worker: the probability of exclusion, and the mean numbers of tasks submitted and counted.

    ``tasks_per_worker`` is the maximum number of tasks of one worker.
    """

    tasks_per_worker: int
    excluded_share: float
    submitted: float
    counted: float

    @property
    def repeated_share(self) -> float:
        """The share of submitted tasks that have to be repeated."""
        return _clip_to_share(1 - self.counted / self.submitted) if self.submitted else 0.0

    def cost(self, without_repeats: Decimal) -> Decimal | None:
        """Return the cost with the expected repeats, to the cent; None if almost no task would count."""
        if self.repeated_share > HOPELESS:
            return None
        return (without_repeats / Decimal(1 - self.repeated_share)).quantize(Decimal("0.01"))


@dataclass(frozen=True)
class Outlook:
    """The forecast for honest workers, over a range of slip rates."""

    slips: Slips
    low: Expectation
    expected: Expectation
    high: Expectation

    def costs(self, without_repeats: Decimal) -> tuple[Decimal | None, Decimal | None, Decimal | None]:
        """Return the costs with repeats at the low, expected and high slip rate (:meth:`Expectation.cost`)."""
        low, expected, high = (one.cost(without_repeats) for one in (self.low, self.expected, self.high))
        return low, expected, high

    @property
    def tasks_words(self) -> str:
        """Words that state the assumed number of tasks per worker."""
        return tasks_words(self.expected.tasks_per_worker)


def expect(
    *,
    slip_rate: float,
    gold_per_task: int,
    tasks_per_worker: int,
    rule: str,
    allowed: float = SLIP_RATE,
) -> Expectation:
    """Calculate the forecast for workers who fail gold pairs at ``slip_rate``.

    Workers do up to ``tasks_per_worker`` tasks. ``allowed`` is the slip rate that the screening rule ``rate`` allows.
    Raises ValueError for a slip rate outside [0, 1], a negative number of gold pairs, less than one task, or an
    unknown rule.
    """
    if not 0 <= slip_rate <= 1 or gold_per_task < 0 or tasks_per_worker < 1:
        raise ValueError(
            "slip_rate must be 0 to 1, gold_per_task at least 0, and tasks_per_worker at least 1"
        )
    failures = np.arange(gold_per_task + 1)
    slips = (
        scipy.special.binom(gold_per_task, failures)
        * slip_rate**failures
        * (1 - slip_rate) ** (gold_per_task - failures)
    )
    there, passed = np.array([1.0]), np.array([0.0])
    submitted = counted = excluded = 0.0
    for done in range(1, tasks_per_worker + 1):
        submitted += float(there.sum()) / done
        before = np.pad(there * slips[0], (0, gold_per_task))
        passed = np.convolve(passed, slips) + before
        there = np.convolve(there, slips)
        excludes = excluding_failures(rule, gold_per_task * done, allowed)
        there, passed = there[:excludes], passed[:excludes]
        want_no_more = 1 / done - (1 / (done + 1) if done < tasks_per_worker else 0)
        counted += want_no_more * float(passed.sum())
        excluded += want_no_more * (1 - float(there.sum()))
    return Expectation(tasks_per_worker, _clip_to_share(excluded), submitted, counted)


def outlook(
    slips: Slips, *, gold_per_task: int, tasks_per_worker: int, rule: str, allowed: float = SLIP_RATE
) -> Outlook:
    """Calculate the forecast for honest workers at the low, expected and high slip rate."""
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
    """Return how many of a campaign's ``tasks`` one worker is assumed to do at most.

    This is the smallest of three numbers, but at least 1: ``most``, the tasks possible without repeating a pair, and
    the tasks of each worker if :data:`PEOPLE` workers share them equally.
    """
    return max(1, min(most, tasks // judgments_per_pair, -(-tasks // PEOPLE)))


def tasks_words(most: int) -> str:
    """Return words that state how many tasks each worker is assumed to do; ``most`` is the maximum."""
    return (
        "each does one task"
        if most == 1
        else f"at least {PEOPLE} workers share the tasks (half do one, nobody more than {most:,})"
    )


def _clip_to_share(value: float) -> float:
    """Clip a value to [0, 1], since rounding can exceed the range slightly."""
    return min(1.0, max(0.0, value))
