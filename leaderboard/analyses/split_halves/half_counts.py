"""Counts for rank tests of two runs on many parts (subsets) of the queries at once, without sorting each part.

Put differences (or values) into groups of equal values, in ascending order. A rank statistic of a part follows from
how many of its differences are in each group. Groups are the same for every part, so they are found once per pair.
Counting them on all parts is one product of a sparse one-hot matrix with the matrix of parts. Values that rarely
repeat form nearly as many groups as queries, so half_orders counts them in sorted order. All sums are of integers
and therefore exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.sparse on first use

from leaderboard.analyses.split_halves.half_orders import (
    Groups,
    Members,
    RunningCounts,
    doubled_ranks,
    own_ties,
    signed_ranks,
    tie_sums,
)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.signedinteger]

FEW_KINDS = 64
"""The maximum number of different values for looking up groups of differences in a table of pairs of values."""
DECIMALS = 10
"""Decimals to which differences of non-integer values are rounded, so that rounding errors break no ties."""
BATCH_CELLS = 2**21
EXACT_UP_TO = 50
"""The largest part, in queries, for which scipy.stats.wilcoxon can use an exact distribution."""


@dataclass(frozen=True)
class PairCounts:
    """Counts for the run ``first`` against each run of ``second`` on every part, shape (pairs, parts).

    - ``plus`` and ``minus``: queries on which the first run has the larger or the smaller value.
    - ``positive_ranks``: 2 × the sum of the ranks of the positive differences among the nonzero ones. Differences of
      equal size share their mean rank.
    - ``difference_ties``: Σ(t³ - t) over groups of t differences of equal size.
    - ``pooled_wins``: 2 × Mann and Whitney's U of the first run.
    - ``pooled_ties``: Σ(t³ - t) over groups of t equal values of both runs.
    - ``squares``: the sum of the squared differences.
    - ``ranks``: the doubled ranks, shape (pairs, parts, differences), 0 after the last; None if every part is too
      large for an exact signed-rank test.
    """

    first: int
    second: npt.NDArray[np.int64]
    plus: Floats
    minus: Floats
    positive_ranks: Floats
    difference_ties: Floats
    pooled_wins: Floats
    pooled_ties: Floats
    squares: Floats
    ranks: npt.NDArray[np.int64] | None


def half_pair_counts(values: Floats, parts: npt.NDArray[np.bool_]) -> Iterator[PairCounts]:
    """Yield counts of all pairs of runs on all parts, in batches with the same first run.

    ``values`` has the shape (runs, queries), and ``parts`` the shape (queries, parts). Every pair (i, j) of rows with
    i < j is in exactly one batch.
    """
    _, found, codes = np.unique(np.round(values, DECIMALS), return_index=True, return_inverse=True)
    kinds = values.ravel()[found]
    by_run: Codes = codes.reshape(values.shape).astype(np.int32)
    small = bool((parts.sum(axis=0) <= EXACT_UP_TO).any())
    if len(kinds) <= FEW_KINDS:
        yield from _counts_by_tables(kinds, by_run, _Counter(Members.of(parts).rows[:-1], small))
    else:
        yield from _counts_by_orders(values, by_run, parts, small)


@dataclass(frozen=True)
class _Counter:
    """The parts in the form needed for matrix products. ``small``: whether a part allows exact signed-rank tests."""

    members: Counts
    small: bool

    def groups(self, codes: Codes, groups: int) -> Counts:
        """Return how many of a part's queries are in each group, for each row of codes; shape (rows, groups, parts).

        ``codes`` has the group of each query, from 0 to groups - 1, shape (rows, queries).
        """
        rows, queries = codes.shape
        shifted = codes + np.arange(0, rows * groups, groups, dtype=np.int32)[:, None]
        one_hot = scipy.sparse.csc_array(
            (
                np.ones(rows * queries, dtype=self.members.dtype),
                shifted.T.ravel(),
                np.arange(0, rows * queries + 1, rows, dtype=np.int32),
            ),
            shape=(rows * groups, queries),
        )
        counted: Counts = (one_hot @ self.members).reshape(rows, groups, -1)
        return counted


def _counts_by_tables(kinds: Floats, codes: Codes, counter: _Counter) -> Iterator[PairCounts]:
    signed, sizes = _groups_by_sign(kinds[:, None] - kinds[None, :])
    pooled = counter.groups(codes, len(kinds))
    at_once = max(1, BATCH_CELLS // ((2 * len(sizes) + 1) * counter.members.shape[1]))
    for first in range(len(codes) - 1):
        for start in range(first + 1, len(codes), at_once):
            second = np.arange(start, min(start + at_once, len(codes)))
            groups = counter.groups(signed[codes[first], codes[second]], 2 * len(sizes) + 1)
            rank_sum = _rank_sum_counts(pooled[second], pooled[first : first + 1])
            yield _pair_counts(first, second, groups, sizes, rank_sum, counter)


def _counts_by_orders(
    values: Floats, codes: Codes, parts: npt.NDArray[np.bool_], small: bool
) -> Iterator[PairCounts]:
    members = Members.of(parts)
    weights = parts.astype(np.float64)
    groups = [Groups.of(row) for row in codes]
    ties = [own_ties(one, members) for one in groups]
    for first in range(len(values) - 1):
        running = RunningCounts.of(codes[first], members)
        apart = values[first] - values[first + 1 :]
        rounded = np.round(apart, DECIMALS)
        plus, minus = (rounded > 0) @ weights, (rounded < 0) @ weights
        squares = np.where(rounded == 0, 0.0, apart) ** 2 @ weights
        for place, other in enumerate(range(first + 1, len(values))):
            ranked = signed_ranks(rounded[place], members, with_ranks=small)
            wins, pooled = running.wins_over(groups[other])
            yield PairCounts(
                first=first,
                second=np.array([other]),
                plus=plus[[place]],
                minus=minus[[place]],
                positive_ranks=ranked.positive[None].astype(np.float64),
                difference_ties=ranked.ties[None],
                pooled_wins=wins[None].astype(np.float64),
                pooled_ties=(ties[first] + ties[other] + pooled)[None],
                squares=squares[[place]],
                ranks=None if ranked.ranks is None else ranked.ranks[None],
            )


def _groups_by_sign(apart: Floats) -> tuple[Codes, Floats]:
    """Return the group of each signed difference, and the distinct absolute values of the differences, ascending.

    Groups of negative differences come first, then those of positive differences, each by absolute value. The group
    of zeros is last.
    """
    rounded = np.round(apart, DECIMALS)
    size, found, place = np.unique(np.abs(rounded), return_index=True, return_inverse=True)
    sizes = np.abs(apart).ravel()[found]
    codes = np.where(rounded == 0, 2 * len(size), place.reshape(apart.shape) + len(size) * (rounded > 0))
    return codes.astype(np.int32), sizes


def _pair_counts(
    first: int,
    second: npt.NDArray[np.int64],
    groups: Counts,
    sizes: Floats,
    rank_sum: tuple[Floats, Floats],
    counter: _Counter,
) -> PairCounts:
    minus, plus = groups[:, : len(sizes)], groups[:, len(sizes) : -1]
    either = minus + plus
    ahead, behind = plus.sum(axis=1, dtype=np.int64), minus.sum(axis=1, dtype=np.int64)
    several = _held_twice(either)
    # Twice a rank is twice the count below, plus the size of its own group, plus one.
    ranks = 2 * (products_below(either, plus) + ahead) + _product_sums(
        either[:, several] - 1, plus[:, several]
    )
    return PairCounts(
        first=first,
        second=second,
        plus=ahead.astype(np.float64),
        minus=behind.astype(np.float64),
        positive_ranks=ranks,
        difference_ties=tie_sums(either[:, several], axis=1),
        pooled_wins=rank_sum[0],
        pooled_ties=rank_sum[1],
        squares=np.matmul(sizes**2, either.astype(np.float64)),
        ranks=doubled_ranks(either) if counter.small else None,
    )


def _rank_sum_counts(second: Counts, first: Counts) -> tuple[Floats, Floats]:
    """Return 2·U of the first run against each second run, and Σ(t³ - t) of their pooled values.

    A value wins against a smaller value of the other run, and ties with an equal one.
    """
    together = first + second
    several = _held_twice(together)
    first = np.broadcast_to(first, second.shape)
    ties = _product_sums(second[:, several], first[:, several])
    return 2 * products_below(second, first) + ties, tie_sums(together[:, several], axis=1)


def _held_twice(groups: Counts) -> npt.NDArray[np.bool_]:
    """Return a mask of the groups that have two or more members on any part. Only these have ties."""
    held: npt.NDArray[np.bool_] = groups.max(axis=(0, 2), initial=0) > 1
    return held


def products_below(low: Counts, high: Counts) -> Floats:
    """Return Σ over groups g < h of low[:, g] · high[:, h]. Arrays have the shape (rows, groups, parts).

    Neighboring groups are merged two by two, so the total work is proportional to the size of the arrays.
    """
    total = np.zeros((low.shape[0], low.shape[2]))
    largest = _largest_product(low, high)
    while low.shape[1] > 1:
        even = low.shape[1] // 2 * 2
        total += _exact_product_sums(low[:, 0:even:2], high[:, 1:even:2], largest)
        low, high = _merged_neighbors(low, even), _merged_neighbors(high, even)
        largest *= 4
    return total


def _product_sums(one: Counts, other: Counts) -> Floats:
    return _exact_product_sums(one, other, _largest_product(np.abs(one), other))


def _largest_product(one: Counts, other: Counts) -> int:
    """Return an upper bound for the product of any two of these counts."""
    return int(one.max(initial=0)) * int(other.max(initial=0))


def _merged_neighbors(groups: Counts, even: int) -> Counts:
    halved: Counts = groups[:, 0:even:2] + groups[:, 1:even:2]
    return halved if even == groups.shape[1] else np.concatenate([halved, groups[:, even:]], axis=1)


def _exact_product_sums(one: Counts, other: Counts, largest: int) -> Floats:
    """Return the exact sums of products along axis 1, computed in the narrow integer type if nothing overflows."""
    room = np.iinfo(one.dtype).max
    summed: Floats
    if largest * one.shape[1] <= room:
        summed = (one * other).sum(axis=1, dtype=one.dtype).astype(np.float64)
    elif largest <= room:
        summed = (one * other).sum(axis=1, dtype=np.float64)
    else:
        summed = np.einsum("rgp,rgp->rp", one, other, dtype=np.float64)
    return summed
