"""Pure: from a worker's answers on gold pairs to keep or exclude, with the reason.

- ``reference`` is the rule of Arabzadeh et al., *Shallow pooling for sparse labels* ([SP]), section 3.1: one failed
  gold pair excludes.
- ``two-strikes``: the first failed gold pair voids its task, which others repeat. The second one excludes, whether it
  stands in the same task or in a later one.
- ``rate``: every task with a failed gold pair is repeated. Failures exclude when there are at least two of them and
  so many are unlikely (p < 0.01) under honest slips.

Under every rule a task with a failed gold pair is repeated, and nothing of an excluded worker counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import scipy  # loads scipy.special when it is first used: it would be a third of a second of every command

#: How often an honest worker fails a gold pair, where nothing was measured. [SP] paid for 1.1 % more tasks than one
#: pass takes, and for 2.7 % more in its first experiment. With three gold pairs a task and one task a worker,
#: 1 − 1/1.011 = 1 − (1 − s)³ gives s = 0.4 %, and 2.7 % gives 0.9 %. Workers who do several tasks lose more of them
#: at a failure, so these are upper bounds. The default is the higher one, rounded up.
SLIP_RATE = 0.01
UNLIKELY = 0.01
RULES = ("reference", "two-strikes", "rate")


@dataclass(frozen=True)
class Verdict:
    """What screening says of a worker: excluded or not, why, and which answers it rests on (indexes)."""

    excluded: bool
    rule: str
    reason: str
    failed: tuple[int, ...]


def screen(passed: Sequence[bool], rule: str, *, slip_rate: float = SLIP_RATE) -> Verdict:
    """Decide on a worker's gold answers, in the order given.

    An undecided or missing answer counts as failed and is handed in as False. Raises ValueError for a rule that is
    none of :data:`RULES`.
    """
    failed = tuple(index for index, good in enumerate(passed) if not good)
    seen = len(passed)
    excluded = len(failed) >= excluding_failures(rule, seen, slip_rate)
    words = f"failed {len(failed)} of {seen} test pairs"
    if rule == "rate":
        chance = failures_chance(len(failed), seen, slip_rate)
        words = f"{words}: p = {chance:.3g} under {slip_rate:.1%} honest slips"
    elif failed:
        words = f"{words}; {'one is' if rule == 'reference' else 'two are'} enough"
    else:
        words = f"passed all {seen} test pairs"
    return Verdict(excluded, rule, words, failed)


def excluding_failures(rule: str, seen: int, slip_rate: float = SLIP_RATE) -> int:
    """Return the least number of failures among ``seen`` gold pairs that excludes; ``seen + 1`` when none does."""
    if rule not in RULES:
        raise ValueError(f"there is no screening rule called {rule!r}")
    if rule != "rate":
        return min(1 if rule == "reference" else 2, seen + 1)
    # One failure is never enough, however rare honest slips are taken to be.
    counts = range(2, seen + 1)
    return next((one for one in counts if failures_chance(one, seen, slip_rate) < UNLIKELY), seen + 1)


def failures_chance(failed: int, seen: int, slip_rate: float = SLIP_RATE) -> float:
    """P(at least ``failed`` slips among ``seen`` test pairs) for a worker who slips at ``slip_rate``."""
    # bdtrc(k, n, p) = P(Binomial(n, p) > k); scipy.stats would add a second to the start of every command.
    return float(scipy.special.bdtrc(failed - 1, seen, slip_rate)) if failed else 1.0
