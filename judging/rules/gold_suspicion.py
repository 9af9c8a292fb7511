"""Find suspicious gold pairs: those failed by workers who pass all their other gold pairs.

A gold pair is suspicious if it is failed by more than 20% of the workers who pass all their others. Workers see few
gold pairs before one failure excludes them, so somebody who clicks at random passes all others now and then. A
suspicious pair must therefore also have at least three such failures, and that number must be unlikely (p < 0.01,
binomial). The test assumes the rate at which otherwise passing workers fail the other gold pairs, or the campaign's
slip rate if higher.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

from judging.rules.screening import GOLD_PAIR, UNLIKELY

#: The share of otherwise passing workers above which a gold pair that they fail is suspicious.
SHARE = 0.20
#: The minimum number of failures by otherwise passing workers that makes a gold pair suspicious.
LEAST_FAILURES = 3


@dataclass(frozen=True)
class Suspicion:
    """A suspicious gold pair (its key).

    ``seen`` is the number of workers who answered it and passed all their other gold pairs. ``failed`` is the number
    of these who failed it, and ``chance`` the p-value of that number.
    """

    gold: int
    failed: int
    seen: int
    chance: float

    def words(self, gold: str = GOLD_PAIR) -> str:
        """Return the reason for the suspicion as text; ``gold`` is the term for a gold pair."""
        return (
            f"{self.failed} of {self.seen} workers who passed all their other {gold}s failed it "
            f"(p = {self.chance:.2g})"
        )


def suspicious(answers: Iterable[tuple[int, int, bool]], *, slip_rate: float) -> list[Suspicion]:
    """Return the suspicious gold pairs, lowest p-value first.

    ``answers`` have the form (gold pair, worker, passed). Workers who answered only one gold pair are ignored, since
    they have no other gold pairs to pass.
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
    """Count for each gold pair the workers who failed it and all who answered it, as two maps.

    Only workers who passed all their other gold pairs, and have others, are counted.
    """
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
