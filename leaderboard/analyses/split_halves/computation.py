"""Agreement of random halves of the queries on which of two runs is better.

Craswell et al., *MS MARCO: benchmarking ranking models in the large-data regime* (SIGIR 2021) [MM]. The queries are
split into two random halves, many times. In each half, two runs are compared by mean (or median) and by a
significance test:

- The halves *agree* if both favor the same run, and the difference is significant in both or in neither.
- They *partially agree* if both favor the same run but the difference is significant in only one. They
  also do if they favor different runs and it is significant in neither.
- They *disagree* if they favor different runs and the difference is significant in at least one.

A half in which the two means (or medians) are equal favors no run. If neither half favors a run, they count as
favoring the same run. If only one half favors a run, they count as favoring different runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.analyses.shared.proportions import sign_test_p
from leaderboard.analyses.split_halves.half_counts import PairCounts, half_pair_counts
from leaderboard.analyses.split_halves.half_tests import (
    EXACT_ALWAYS,
    EXACT_WITHOUT_TIES,
    exact_signed_rank_p,
    rank_sum_p,
    signed_rank_p,
    t_p,
)

Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]
Parts = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]

SPLITS = 100
ALPHA = 0.05
FEWEST_QUERIES = 4
TESTS = ("sign", "rank-sum", "signed-rank", "t")
BY_MEDIAN = ("sign", "rank-sum", "signed-rank")
# Sums and doubled medians of non-integer values count as equal if they agree to this many decimals.
DECIMALS = 9


@dataclass(frozen=True)
class Outcome:
    """How often halves agree by one test, for runs compared by mean or by median.

    The numbers are shares of all combinations of a pair of runs and a split.
    """

    test: str
    direction: str
    """``mean`` or ``median``."""
    agree: float
    partial: float
    disagree: float
    significant: float
    """The share of pairs and splits for which the difference is significant in at least one half."""


@dataclass(frozen=True)
class Agreement:
    """The outcome of every test, and the shares of comparisons with equal means and with equal medians.

    A comparison is of one pair of runs on one half.
    """

    runs: int
    queries: int
    pairs: int
    splits: int
    alpha: float
    outcomes: tuple[Outcome, ...]
    equal_means: float
    equal_medians: float


@dataclass(frozen=True)
class PairTests:
    """The p-values of tests of the run ``first`` against each run of ``second``.

    ``p`` maps the name of a test to its p-values, shape (pairs, parts).
    """

    first: int
    second: npt.NDArray[np.int64]
    p: dict[str, Floats]


def draw_halves(queries: int, splits: int, rng: np.random.Generator) -> Parts:
    """Return random halves as masks, shape (queries, 2·splits): every split's first half, then every second half.

    With an odd number of queries, the second half has one more query.
    """
    order = rng.permuted(np.tile(np.arange(queries), (splits, 1)), axis=1)
    first = np.zeros((splits, queries), dtype=np.bool_)
    np.put_along_axis(first, order[:, : queries // 2], True, axis=1)
    return np.concatenate([first, ~first]).T


def split_agreement(
    values: Floats,
    *,
    rng: np.random.Generator,
    splits: int = SPLITS,
    alpha: float = ALPHA,
    whole: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Return how often halves agree over ``splits`` random splits of ``values``, shape (runs, queries).

    p ≤ ``alpha`` is significant. With ``whole`` (2520 for RR@10), values times ``whole`` are integers and every sum
    is exact. Other values tie if they are equal to ten decimals. Raises ValueError for fewer than two runs or four
    queries.
    """
    if len(values) < 2 or values.shape[1] < FEWEST_QUERIES:
        raise ValueError(f"split halves need two runs and {FEWEST_QUERIES} queries, not {values.shape}")
    return agreement_of(
        values,
        draw_halves(values.shape[1], splits, rng),
        alpha=alpha,
        whole=whole,
        progress=progress,
    )


def agreement_of(
    values: Floats,
    halves: Parts,
    *,
    alpha: float = ALPHA,
    whole: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Return how often the given halves agree, as :func:`split_agreement` does for random ones.

    ``halves`` are drawn by ``draw_halves``.
    """
    steps = values if whole is None else np.rint(values * whole)
    centers = {"mean": steps @ halves.astype(np.float64), "median": medians(steps, halves)}
    counted = {(test, way): np.zeros(4, dtype=np.int64) for way in centers for test in tests_by(way)}
    equal = dict.fromkeys(centers, 0)
    total = len(values) * (len(values) - 1) // 2
    done = 0
    for tested in pair_tests(steps, halves):
        significant = {test: p <= alpha for test, p in tested.p.items()}
        for way, center in centers.items():
            better = _directions(center, tested)
            equal[way] += int((better == 0).sum())
            for test in tests_by(way):
                counted[test, way] += _count_outcomes(better, significant[test])
        done += len(tested.second)
        if progress:
            progress(done, total)
    splits = halves.shape[1] // 2
    return Agreement(
        runs=len(values),
        queries=values.shape[1],
        pairs=total,
        splits=splits,
        alpha=alpha,
        outcomes=tuple(
            Outcome(test, way, *(counts / (total * splits)).tolist())
            for (test, way), counts in counted.items()
        ),
        equal_means=equal["mean"] / (total * 2 * splits),
        equal_medians=equal["median"] / (total * 2 * splits),
    )


def tests_by(direction: str) -> tuple[str, ...]:
    """Return the names of the tests for runs compared by ``mean`` or by ``median``.

    The t-test is used only for means.
    """
    return TESTS if direction == "mean" else BY_MEDIAN


def pair_tests(values: Floats, parts: Parts) -> Iterator[PairTests]:
    """Run every test of every pair of runs on every part, and yield the p-values in batches by first run.

    ``parts`` has a mask of the queries of each part, shape (queries, parts).
    """
    sizes = parts.sum(axis=0).astype(np.float64)
    sums = values @ parts.astype(np.float64)
    for counts in half_pair_counts(values, parts):
        apart = sums[counts.first] - sums[counts.second]
        p = {
            "sign": sign_test_p(counts.plus, counts.minus),
            "rank-sum": rank_sum_p(counts.pooled_wins, counts.pooled_ties, sizes),
            "signed-rank": _signed_rank(counts, sizes),
            "t": t_p(apart, counts.squares, sizes),
        }
        yield PairTests(counts.first, counts.second, p)


def _signed_rank(counts: PairCounts, sizes: Floats) -> Floats:
    """Return p of the signed-rank test, by the method that scipy chooses for a part of this size."""
    different = counts.plus + counts.minus
    p = signed_rank_p(counts.positive_ranks, counts.difference_ties, different)
    if counts.ranks is None:
        return p
    untied = (counts.difference_ties == 0) & (different == sizes)
    exact = (sizes <= EXACT_ALWAYS) | (untied & (sizes <= EXACT_WITHOUT_TIES))
    p[exact] = exact_signed_rank_p(counts.positive_ranks[exact], counts.ranks[exact])
    return p


def medians(values: Floats, parts: Parts) -> Floats:
    """Return twice the median of each run on each part, shape (runs, parts). It is an integer if the values are."""
    sizes = parts.sum(axis=0)
    starts, by_part = np.cumsum(sizes) - sizes, np.ascontiguousarray(parts.T)
    middles = np.stack([starts + (sizes - 1) // 2, starts + sizes // 2])
    found = np.empty((len(values), parts.shape[1]))
    for row, run in zip(found, values, strict=True):
        order = np.argsort(run)
        # For one part after another, the positions of its queries in the ascending order of values.
        places = np.flatnonzero(by_part.take(order, axis=1)) % len(run)
        row[:] = run[order][places[middles]].sum(axis=0)
    return found


def _directions(center: Floats, tested: PairTests) -> Signs:
    """Return 1 where a pair's first run is ahead on a part, -1 where it is behind, else 0; shape (pairs, parts)."""
    apart = np.round(center[tested.first] - center[tested.second], DECIMALS)
    better: Signs = np.sign(apart).astype(np.int8)
    return better


def _count_outcomes(better: Signs, significant: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return how many comparisons agree, partially agree, disagree, and are significant in at least one half."""
    splits = better.shape[1] // 2
    same = better[:, :splits] == better[:, splits:]
    one, other = significant[:, :splits], significant[:, splits:]
    either = one | other
    agree = same & (one == other)
    disagree = ~same & either
    found = [agree.sum(), agree.size - agree.sum() - disagree.sum(), disagree.sum(), either.sum()]
    return np.array(found, dtype=np.int64)
