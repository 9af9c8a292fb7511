"""Decide from a worker's answers on gold pairs whether to exclude the worker, and why.

- ``reference`` excludes after one failed gold pair, as in Arabzadeh et al., *Shallow pooling for sparse labels*
  ([SP]), section 3.1.
- ``two-strikes`` excludes after two failed gold pairs, in the same task or in different ones.
- ``rate`` excludes after at least two failed gold pairs, if honest slips are unlikely to explain them (p < 0.01).

Under every rule, others repeat a task with a failed gold pair, and none of an excluded worker's judgments count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

from config.plurals import many

#: The highest rate at which honest workers are assumed to fail a gold pair: the upper bound implied by [SP]'s costs,
#: 0.9%, rounded up (docs/methods-screening.md).
SLIP_RATE = 0.01
UNLIKELY = 0.01
RULES = ("reference", "two-strikes", "rate")
#: The term for a test in campaigns that compare two passages, and in campaigns that grade single ones.
GOLD_PAIR, TEST_PASSAGE = "gold pair", "test passage"


@dataclass(frozen=True)
class Verdict:
    """The decision on whether to exclude a worker, the reason, and the indexes of the failed answers."""

    excluded: bool
    reason: str
    failed: tuple[int, ...]


def screen_answers(
    passed: Sequence[bool], rule: str, *, slip_rate: float = SLIP_RATE, gold: str = GOLD_PAIR
) -> Verdict:
    """Decide whether the rule excludes a worker. ``passed`` says for each gold answer whether it passed.

    Undecided and missing answers must be given as False. ``gold`` is the term for a gold pair in the reason. Raises
    ValueError for an unknown rule.
    """
    failed = tuple(index for index, good in enumerate(passed) if not good)
    seen = len(passed)
    excluded = len(failed) >= excluding_failures(rule, seen, slip_rate)
    words = f"failed {len(failed)} of {many(seen, gold)}"
    if rule == "rate":
        chance = failures_chance(len(failed), seen, slip_rate)
        words = f"{words}: p = {chance:.3g} under {slip_rate:.1%} honest slips"
    elif failed:
        words = f"{words}; {'one is' if rule == 'reference' else 'two are'} enough"
    else:
        words = f"passed {'all ' if seen > 1 else ''}{many(seen, gold)}"
    return Verdict(excluded, words, failed)


def excluding_failures(rule: str, seen: int, slip_rate: float = SLIP_RATE) -> int:
    """Return the lowest number of failures among ``seen`` gold pairs that excludes a worker.

    Returns ``seen + 1`` if no number does. Raises ValueError for an unknown rule.
    """
    if rule not in RULES:
        raise ValueError(f"there is no screening rule called {rule!r}")
    if rule != "rate":
        return min(1 if rule == "reference" else 2, seen + 1)
    # One failure is never enough, no matter how rare honest slips are assumed to be.
    counts = range(2, seen + 1)
    return next((one for one in counts if failures_chance(one, seen, slip_rate) < UNLIKELY), seen + 1)


def failures_chance(failed: int, seen: int, slip_rate: float = SLIP_RATE) -> float:
    """Return the probability of at least ``failed`` slips among ``seen`` gold pairs at this slip rate."""
    # bdtrc(k, n, p) = P(Binomial(n, p) > k); scipy.stats would add a second to the start of every command.
    return float(scipy.special.bdtrc(failed - 1, seen, slip_rate)) if failed else 1.0
