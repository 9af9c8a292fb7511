"""How well people agree with each other, and whether they prefer a side of the page.

*Observed agreement* P is the share of agreeing pairs of judgments among all combinations of two judgments of the same
pair. With two possible answers and random sides, chance agreement is one half, so agreement beyond chance is 2·P − 1.
This is S of Bennett, Alpert & Goldstein (Public Opinion Quarterly 18, 1954). If everyone errs independently with the
same chance e, then P = (1 − e)² + e². So 2·P − 1 = (1 − 2e)², which gives e. Answers of "cannot decide" are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.analyses.shared.contenders import Integers
from leaderboard.analyses.shared.proportions import Floats, Interval, Share, share_with_bounds, sign_test_p
from leaderboard.output.table import Estimate
from leaderboard.scoring.intervals import LEVEL, TRIALS, resample_counts
from tournament.pair_wins import PairTally


@dataclass(frozen=True)
class ObservedAgreement:
    """The observed agreement P (``value``), with a bootstrap interval over queries.

    ``twos`` is the number of combinations of two judgments of the same pair, and ``agreeing`` of them agree. P is
    None if no pair was judged twice. The bounds are None if fewer than two queries have such a pair.
    """

    pairs: int
    queries: int
    twos: int
    agreeing: int
    value: float | None
    low: float | None
    high: float | None
    trials: int
    level: float

    @property
    def estimate(self) -> Estimate:
        return self.value, self.low, self.high

    @property
    def beyond_chance(self) -> Estimate:
        """2·P − 1 and its bounds."""
        value, low, high = (None if p is None else 2 * p - 1 for p in self.estimate)
        return value, low, high

    @property
    def error_rate(self) -> float | None:
        """The chance e of a wrong judgment that P implies; None if P is unknown or below one half."""
        if self.value is None or self.value < 0.5:
            return None
        return (1 - math.sqrt(2 * self.value - 1)) / 2


def observed_agreement(
    judged: PairTally,
    query: Integers,
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    level: float = LEVEL,
) -> ObservedAgreement:
    """Return the observed agreement over all pairs judged at least twice.

    ``query`` has the key of each pair's query. The percentile bootstrap draws queries with all their pairs, because
    pairs of one query share passages.
    """
    twice = judged.for_a + judged.for_b > 1
    for_a, for_b = judged.for_a[twice], judged.for_b[twice]
    agreeing = _pairs_of_judgments(for_a) + _pairs_of_judgments(for_b)
    twos = _pairs_of_judgments(for_a + for_b)
    keys, place = np.unique(query[twice], return_inverse=True)
    by_query = np.stack([np.bincount(place, counts, len(keys)).astype(float) for counts in (agreeing, twos)])
    low, high = _bootstrap_bounds(by_query, rng, trials, level) if len(keys) > 1 else (None, None)
    total = int(twos.sum())
    return ObservedAgreement(
        pairs=int(twice.sum()),
        queries=len(keys),
        twos=total,
        agreeing=int(agreeing.sum()),
        value=int(agreeing.sum()) / total if total else None,
        low=low,
        high=high,
        trials=trials,
        level=level,
    )


def _pairs_of_judgments(counts: Integers) -> Integers:
    """Return the number of combinations of two judgments, n·(n − 1)/2, for each count n."""
    return counts * (counts - 1) // 2


def _bootstrap_bounds(
    by_query: Floats,
    rng: np.random.Generator,
    trials: int,
    level: float,
) -> tuple[float, float]:
    counts = resample_counts(by_query.shape[1], trials, rng)
    agreeing, twos = by_query @ counts.T
    low, high = np.quantile(agreeing / twos, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@dataclass(frozen=True)
class SideBias:
    """How often one worker, or all judges together, preferred the left side.

    ``left`` is the share among judgments that prefer a side. ``corrected`` is p times the number of rows tested
    together, at most 1.
    """

    who: str
    left: Share
    undecided: int
    p_value: float
    corrected: float


def side_bias(
    who: Sequence[str], left: Sequence[int], right: Sequence[int], undecided: Sequence[int]
) -> tuple[SideBias, ...]:
    """Return a row for each of ``who``: exact interval, and exact test against one half, Bonferroni-corrected.

    Sides are drawn at random and balanced over the judgments of a pair. So a worker who judges only the passages
    prefers both sides equally often. The test assumes independent judgments; the balance makes it slightly
    conservative.
    """
    p_values = sign_test_p(left, right)
    return tuple(
        SideBias(
            name,
            share_with_bounds(on_left, on_left + on_right, interval=Interval.EXACT),
            neither,
            float(p),
            float(min(1.0, p * len(who))),
        )
        for name, on_left, on_right, neither, p in zip(who, left, right, undecided, p_values, strict=True)
    )
