"""Counts for pairs of runs whose values rarely repeat, from sorted queries instead of tables of groups.

Queries are sorted by a pair's differences, or by a run's values. The number of a part's queries before a given query
is then a running count down the rows of the matrix of parts. A rank statistic is a sum of products of such counts.
Rows of equal numbers are added up first. All sums are of integers and therefore exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.sparse on first use

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Counts = npt.NDArray[np.signedinteger]
Sums = npt.NDArray[np.int64]

BLOCK = 64
"""The number of groups in a block. Products are summed within each block, then for whole blocks."""
NARROW = 2**15 - 1


@dataclass(frozen=True)
class Members:
    """The parts as a matrix of 0 and 1, shape (queries + 1, parts), whose last row is all 0.

    ``largest`` is the number of queries of the largest part.
    """

    rows: Counts
    largest: int

    @classmethod
    def of(cls, parts: npt.NDArray[np.bool_]) -> Members:
        """Build from masks of the parts, shape (queries, parts)."""
        largest = int(parts.sum(axis=0).max(initial=0))
        # Samples of two runs are pooled, so a count can be twice the size of a part.
        rows = np.zeros(
            (len(parts) + 1, parts.shape[1]), dtype=np.int16 if 2 * largest <= NARROW else np.int32
        )
        rows[:-1] = parts
        return cls(rows, largest)

    @property
    def nobody(self) -> int:
        """The index of the row that is all 0."""
        return len(self.rows) - 1

    def counted(self, queries: Places, groups: Places, count: int) -> Counts:
        """Return how many of the queries in each group are in each part, shape (count, parts).

        ``groups`` has the group of each of ``queries``, ascending, from 0 to count - 1.
        """
        starts = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))])
        cells = np.ones(len(queries), dtype=self.rows.dtype)
        counts: Counts = (
            scipy.sparse.csr_array((cells, queries, starts), shape=(count, len(self.rows))) @ self.rows
        )
        return counts


@dataclass(frozen=True)
class Groups:
    """Queries sorted by a number, in groups of equal numbers.

    ``starts`` has the index in ``order`` at which each group starts, and the end of the last group.
    """

    order: Places
    starts: Places
    numbers: npt.NDArray[np.generic]
    """The number of each group."""

    @classmethod
    def of(cls, numbers: npt.NDArray[np.generic]) -> Groups:
        """Build from ``numbers``, one per query."""
        order = np.argsort(numbers)
        ordered = numbers[order]
        first = np.ones(len(order) + 1, dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:-1])
        starts = np.flatnonzero(first)
        return cls(order, starts, ordered[starts[:-1]])

    @property
    def sizes(self) -> Places:
        """The number of queries in each group."""
        return np.diff(self.starts)

    def singles(self, several: npt.NDArray[np.bool_], nobody: int) -> Places:
        """Return the query of each group with a single query; ``nobody`` for groups flagged in ``several``."""
        return np.where(several, nobody, self.order[self.starts[:-1]])

    def within(self, chosen: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
        """Return the queries of the chosen groups, and the index of each query's group among them."""
        sizes = self.sizes
        return self.order[np.repeat(chosen, sizes)], np.repeat(np.arange(int(chosen.sum())), sizes[chosen])


@dataclass(frozen=True)
class SignedRanks:
    """Sums for the signed-rank test on each part.

    ``positive`` is 2 × the sum of the ranks of the positive differences. ``ties`` is Σ(t³ - t) over groups of t
    differences of equal size. ``ranks`` has the doubled ranks, shape (parts, differences), 0 after the last, or is
    None.
    """

    positive: Sums
    ties: Floats
    ranks: Sums | None


def signed_ranks(apart: Floats, members: Members, *, with_ranks: bool) -> SignedRanks:
    """Return the sums for the signed-rank test of differences, one per query, on every part.

    Zeros are dropped. Differences tie if they are equal floats.
    """
    different = np.flatnonzero(apart)
    found = Groups.of(np.abs(apart[different]))
    groups = Groups(different[found.order], found.starts, found.numbers)
    several, layout = groups.sizes > 1, _Layout.of(groups.sizes)
    single = groups.singles(several, members.nobody)
    either = layout.rows(single, members)
    plus = layout.rows(np.where(np.append(apart > 0, False)[single], single, members.nobody), members)

    queries, group = groups.within(several)
    up = apart[queries] > 0
    tied = members.counted(queries, group, int(several.sum()))
    tied_plus = members.counted(queries[up], group[up], int(several.sum()))
    either[layout.places[several]], plus[layout.places[several]] = tied, tied_plus
    below, ahead = layout.products_below(either, plus)
    # Twice a rank is twice the count below, plus the size of its own group, plus one.
    own = ahead - tied_plus.sum(axis=0, dtype=np.int64) + _products_by_part(tied, tied_plus)
    return SignedRanks(
        positive=2 * below + own + ahead,
        ties=tie_sums(tied),
        ranks=doubled_ranks(either[layout.places][None])[0] if with_ranks else None,
    )


@dataclass(frozen=True)
class RunningCounts:
    """A run's values in ascending order (``numbers``), with running counts of the queries of each part.

    ``before[n]`` is how many of the first n values belong to each part, shape (queries + 1, parts).
    """

    numbers: npt.NDArray[np.generic]
    before: Counts
    members: Members

    @classmethod
    def of(cls, numbers: npt.NDArray[np.generic], members: Members) -> RunningCounts:
        """Build from one number per query."""
        order = np.argsort(numbers)
        before = np.zeros_like(members.rows)
        np.cumsum(members.rows[order], axis=0, dtype=before.dtype, out=before[1:])
        return cls(numbers[order], before, members)

    def wins_over(self, other: Groups) -> tuple[Sums, Floats]:
        """Return 2 × Mann and Whitney's U of this run against another run, and the tie sums added by pooling.

        If ``a`` values of this run equal ``b`` values of the other, pooling adds 3·a·b·(a + b) to the runs' own sums
        Σ(t³ - t).
        """
        low = np.searchsorted(self.numbers, other.numbers)
        high = np.searchsorted(self.numbers, other.numbers, side="right")
        several, shared = other.sizes > 1, high > low
        lost = self._lost_to_singles(other.order[other.starts[:-1]][~several], low[~several])
        aside = several | shared
        queries, group = other.within(aside)
        theirs = self.members.counted(queries, group, int(aside.sum()))
        ours = self.before[high[aside]] - self.before[low[aside]]
        lost += _products_by_part(self.before[low[several]], theirs[several[aside]])
        equal = ours.astype(np.float64) * theirs
        pooled = 3 * (equal * (ours + theirs)).sum(axis=0)
        sizes = self.before[-1].astype(np.int64)
        return 2 * sizes**2 - 2 * lost - equal.sum(axis=0).astype(np.int64), pooled

    def _lost_to_singles(self, queries: Places, low: Places) -> Sums:
        """Count, for each part, how often a value of this run is smaller than a unique value of another run."""
        below = self.before.take(low, axis=0)
        below *= self.members.rows.take(queries, axis=0)
        return _column_sums(below, self.members.largest)


def own_ties(groups: Groups, members: Members) -> Floats:
    """Return Σ(t³ - t) over groups of t equal values of one run, on every part."""
    several = groups.sizes > 1
    return tie_sums(members.counted(*groups.within(several), int(several.sum())))


def doubled_ranks(groups: Counts) -> Sums:
    """Return doubled ranks, shape (pairs, parts, differences), from group counts, shape (pairs, groups, parts)."""
    held = np.moveaxis(groups, 1, 2).astype(np.int64)
    below = np.cumsum(held, axis=2)
    sizes = held.sum(axis=2)
    ranks = np.zeros((*sizes.shape, int(sizes.max(initial=0))), dtype=np.int64)
    # A boolean mask is filled in cell order, which is also the order of np.repeat.
    ranks[np.arange(ranks.shape[2]) < sizes[..., None]] = np.repeat(2 * below - held + 1, held.ravel())
    return ranks


@dataclass(frozen=True)
class _Layout:
    """An order of groups as rows of a matrix, in which all blocks are processed at once.

    The first groups of all blocks come first, then their second groups, and so on. Products within a block fit
    ``dtype``.
    """

    places: Places
    blocks: int
    dtype: type[np.signedinteger]

    @classmethod
    def of(cls, sizes: Places) -> _Layout:
        blocks = max(1, -(-len(sizes) // BLOCK))
        block, step = np.divmod(np.arange(len(sizes)), BLOCK)
        largest = int(np.bincount(block, weights=sizes).max(initial=0)) ** 2
        fitting = (dtype for dtype in (np.int16, np.int32) if largest <= np.iinfo(dtype).max)
        return cls(step * blocks + block, blocks, next(fitting, np.int64))

    def rows(self, queries: Places, members: Members) -> Counts:
        """Return the rows of ``members`` for these queries (one per group), placed at the rows of their groups."""
        rows = np.full(BLOCK * self.blocks, members.nobody)
        rows[self.places] = queries
        return members.rows.take(rows, axis=0)

    def products_below(self, low: Counts, high: Counts) -> tuple[Sums, Sums]:
        """Return Σ over groups g < h of low[g] · high[h], and Σ high[h], for each part."""
        low, high = (one.reshape(BLOCK, self.blocks, -1) for one in (low, high))
        below = np.zeros(low.shape[1:], dtype=self.dtype)
        above, found, product = np.zeros_like(below), np.zeros_like(below), np.empty_like(below)
        for lower, higher in zip(low, high, strict=True):
            np.multiply(below, higher, out=product)
            found += product
            below += lower
            above += higher
        before = np.cumsum(below, axis=0, dtype=np.int64) - below
        return found.sum(axis=0, dtype=np.int64) + (before * above).sum(axis=0), above.sum(
            axis=0, dtype=np.int64
        )


def _column_sums(rows: Counts, largest: int) -> Sums:
    """Return the sums along axis 0 of numbers up to ``largest``.

    Adds as many rows at a time as their integer type can sum without overflow.
    """
    at_once = max(1, int(np.iinfo(rows.dtype).max) // max(1, largest))
    folded = len(rows) // at_once * at_once
    summed: Sums = rows[folded:].sum(axis=0, dtype=np.int64)
    if folded:
        steps = rows[:folded].reshape(at_once, folded // at_once, -1).sum(axis=0, dtype=rows.dtype)
        summed += steps.sum(axis=0, dtype=np.int64)
    return summed


def _products_by_part(one: Counts, other: Counts) -> Sums:
    summed: Sums = np.einsum("gp,gp->p", one, other, dtype=np.int64)
    return summed


def tie_sums(groups: Counts, *, axis: int = 0) -> Floats:
    """Return Σ(t³ - t) over the groups along ``axis``, where t is the count of a group."""
    t = groups.astype(np.float64)
    ties: Floats = (t * t * t - t).sum(axis=axis)
    return ties
