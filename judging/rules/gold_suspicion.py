"""Gold pairs that are suspicious because workers who pass all others fail them.

A gold pair that more than 20% of otherwise passing workers fail is suspended. Workers see few gold pairs before one
failure excludes them, so somebody who clicks at random passes "all others" now and then. A pair is therefore
suspicious only if at least three such workers also failed it and that many failures are unlikely (p < 0.01,
binomial). The expected rate is the one at which otherwise passing workers fail the other gold pairs, or the
campaign's slip rate if that is higher.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

from judging.rules.screening import GOLD_PAIR, UNLIKELY

#: A gold pair is suspicious above this share of failures by otherwise passing workers.
SHARE = 0.20
#: Fewer failures than this are no evidence.
LEAST_FAILURES = 3


@dataclass(frozen=True)
class Suspicion:
    """A suspicious gold pair: ``failed`` of ``seen`` otherwise passing workers failed it; ``chance``: the p-value."""

    gold: int
    failed: int
    seen: int
    chance: float

    def words(self, gold: str = GOLD_PAIR) -> str:
        """Return the reason as text."""
        return (
            f"{self.failed} of {self.seen} workers who passed all their other {gold}s failed it "
            f"(p = {self.chance:.2g})"
        )


def suspicious(answers: Iterable[tuple[int, int, bool]], *, slip_rate: float) -> list[Suspicion]:
    """Find the suspicious gold pairs in (gold, worker, passed) answers, least likely first.

    A worker who answered only one gold pair provides no evidence about it.
    """
    failed, seen = _count_passing_workers(answers)
    all_failed, all_seen = sum(failed.values()), sum(seen.values())
    found = []
    for gold, failures in failed.items():
        if failures < LEAST_FAILURES or failures <= SHARE * seen[gold]:
            continue
        elsewhere = all_seen - seen[gold]
        usual = (all_failed - failures) / elsewhere if elsewhere else 0.0
        chance = float(scipy.special.bdtrc(failures - 1, seen[gold], max(usual, slip_rate)))
        if chance < UNLIKELY:
            found.append(Suspicion(gold, failures, seen[gold], chance))
    return sorted(found, key=lambda one: (one.chance, one.gold))


def _count_passing_workers(answers: Iterable[tuple[int, int, bool]]) -> tuple[Counter[int], Counter[int]]:
    """Count who failed and who answered each gold pair, among workers who passed all their other gold pairs."""
    by_worker: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for gold, worker, passed in answers:
        by_worker[worker].append((gold, passed))
    failed: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    for given in by_worker.values():
        failures = sum(not passed for _, passed in given)
        for gold, passed in given:
            if len(given) > 1 and failures == (0 if passed else 1):
                seen[gold] += 1
                failed[gold] += not passed
    return failed, seen
