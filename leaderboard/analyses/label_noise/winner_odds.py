"""Simulate the chance that a best answer is right if judgments are wrong at a given rate.

Passages of a pool have one true order. Each judgment of a pair is wrong with the same chance, independently of the
pair and of other judgments. All pairs are judged, and tournament/copeland.py finds the best answers. The simulation
ignores how close two passages are, but real judges err more on close pairs, and the best passage's rivals are close.
So treat the result as an order of magnitude.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tournament.copeland import Ties, best_of_queries
from tournament.pair_wins import Count, PairTally, wins_of_pairs

TRIALS = 2000


@dataclass(frozen=True)
class Odds:
    """Simulated results for pools of one size (0 for the total of all sizes).

    ``alone`` is the chance that the truly best passage is the only best answer, and ``among`` that it is one of them.
    ``best_answers`` is the mean number of best answers, and ``pools`` the number of pools of this size.
    """

    size: int
    pools: int
    alone: float
    among: float
    best_answers: float


@dataclass(frozen=True)
class Rules:
    """The number of judgments per pair, and the tournament's rules for ties and for counting wins."""

    judgments: int = 1
    ties: Ties = Ties.RECOUNT
    count: Count = Count.SHARES


def odds_of_size(
    size: int, error: float, rules: Rules, rng: np.random.Generator, trials: int = TRIALS
) -> Odds:
    """Simulate pools of ``size`` passages: one tournament per trial, all of them resolved together."""
    if not 0 <= error <= 1 or size < 1 or trials < 1 or rules.judgments < 1:
        raise ValueError(
            "the error rate must be between 0 and 1; pools need at least one passage, and pairs one judgment"
        )
    if size == 1:
        return Odds(1, 1, 1.0, 1.0, 1.0)
    low, high = np.array(list(combinations(range(size), 2)), dtype=np.int64).T
    offset = np.arange(trials, dtype=np.int64)[:, None] * size
    wrong = rng.binomial(rules.judgments, error, size=(trials, len(low)))
    # Within a pool, the earlier passage is better.
    counts = PairTally(
        a=(offset + low).ravel(),
        b=(offset + high).ravel(),
        for_a=(rules.judgments - wrong).ravel(),
        for_b=wrong.ravel(),
        undecided=np.zeros(wrong.size, dtype=np.int64),
    )
    wins = wins_of_pairs(counts, count=rules.count, largest=size)
    best = best_of_queries(offset[:, 0], trials * size, wins, ties=rules.ties).best.reshape(trials, size)
    held = best.sum(axis=1)
    return Odds(
        size, 1, float((best[:, 0] & (held == 1)).mean()), float(best[:, 0].mean()), float(held.mean())
    )


def odds_of_pools(
    sizes: Mapping[int, int],
    error: float,
    rules: Rules,
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
) -> tuple[Odds, ...]:
    """Return the odds for each pool size, smallest first, and last for all pools together.

    ``sizes`` maps the size of a pool to the number of pools.
    """
    rows = []
    for size, pools in sorted(sizes.items()):
        odds = odds_of_size(size, error, rules, rng, trials)
        rows.append(Odds(size, pools, odds.alone, odds.among, odds.best_answers))
    if not rows:
        return ()
    weights = [row.pools for row in rows]
    alone, among, held = (
        float(np.average([getattr(row, name) for row in rows], weights=weights))
        for name in ("alone", "among", "best_answers")
    )
    return (*rows, Odds(0, sum(weights), alone, among, held))
