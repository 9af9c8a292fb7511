"""Pure: from a worker's answers on gold pairs to keep or exclude, with the reason.

``reference`` is the rule of Arabzadeh et al., *Shallow pooling for sparse labels*, section 3.1: one failed
gold pair excludes. ``rate`` excludes when the failures are unlikely under honest slips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import scipy  # loads scipy.special when it is first used: it would be a third of a second of every command

SLIP_RATE = 0.05
UNLIKELY = 0.01


@dataclass(frozen=True)
class Verdict:
    """What screening says of a worker: excluded or not, why, and which answers it rests on (indexes)."""

    excluded: bool
    rule: str
    reason: str
    failed: tuple[int, ...]


def screen(passed: Sequence[bool], rule: str, *, slip_rate: float = SLIP_RATE) -> Verdict:
    """The verdict on a worker's gold answers, in the order given.

    ``rule`` is ``reference`` or ``rate``. An undecided or missing answer counts as failed and is handed in
    as False. Raises ValueError for another rule.
    """
    failed = tuple(index for index, good in enumerate(passed) if not good)
    seen = len(passed)
    if rule == "reference":
        reason = f"failed {len(failed)} of {seen} test pairs; one is enough"
        return Verdict(bool(failed), rule, reason if failed else f"passed all {seen} test pairs", failed)
    if rule != "rate":
        raise ValueError(f"there is no screening rule called {rule!r}")
    chance = failures_chance(len(failed), seen, slip_rate)
    words = f"failed {len(failed)} of {seen} test pairs: p = {chance:.3g} under {slip_rate:.0%} honest slips"
    return Verdict(bool(failed) and chance < UNLIKELY, rule, words, failed)


def failures_chance(failed: int, seen: int, slip_rate: float = SLIP_RATE) -> float:
    """P(at least ``failed`` slips among ``seen`` test pairs) for a worker who slips at ``slip_rate``."""
    # bdtrc(k, n, p) = P(Binomial(n, p) > k); scipy.stats would add a second to the start of every command.
    return float(scipy.special.bdtrc(failed - 1, seen, slip_rate)) if failed else 1.0
