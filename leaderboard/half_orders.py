"""Counts of pairs of runs whose values are of many kinds: from orders, in place of tables of groups.

Queries are put in the order of a pair's differences, or of a run's values. How many queries of a part stand before
another one is then a running count down the rows of the matrix of parts, and a rank statistic is a sum of products of
such counts. Rows of equal numbers are added up first. All sums are of integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.sparse when it is first used

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Counts = npt.NDArray[np.signedinteger]
Sums = npt.NDArray[np.int64]

BLOCK = 64
"""Groups that are counted among themselves; counts of whole blocks are added afterwards."""
NARROW = 2**15 - 1


@dataclass(frozen=True)
class Members:
    """The parts as (queries + 1) × parts of 0 and 1; the last row is empty. ``largest`` part has so many queries."""

    rows: Counts
    largest: int

    @classmethod
    def of(cls, parts: npt.NDArray[np.bool_]) -> Members:
        """From queries × parts."""
        largest = int(parts.sum(axis=0).max(initial=0))
        # Two samples are pooled: a group may hold twice a part.
        rows = np.zeros(
            (len(parts) + 1, parts.shape[1]), dtype=np.int16 if 2 * largest <= NARROW else np.int32
        )
        rows[:-1] = parts
        return cls(rows, largest)

    @property
    def nobody(self) -> int:
        """The place of the empty row."""
        return len(self.rows) - 1

    def counted(self, queries: Places, groups: Places, count: int) -> Counts:
        """count × parts: how many of the ``queries`` are in each part, by ``groups`` (ascending, one a query)."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))])
        cells = np.ones(len(queries), dtype=self.rows.dtype)
        counts: Counts = (
            scipy.sparse.csr_array((cells, queries, starts), shape=(count, len(self.rows))) @ self.rows
        )
        return counts


@dataclass(frozen=True)
class Groups:
    """Queries in ascending order of a number each has; ``starts`` of groups of equal numbers, and the end."""

    order: Places
    starts: Places
    numbers: npt.NDArray[np.generic]
    """One a group."""

    @classmethod
    def of(cls, numbers: npt.NDArray[np.generic]) -> Groups:
        """By ``numbers``, one a query."""
        order = np.argsort(numbers)
        ordered = numbers[order]
        first = np.ones(len(order) + 1, dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:-1])
        starts = np.flatnonzero(first)
        return cls(order, starts, ordered[starts[:-1]])

    @property
    def sizes(self) -> Places:
        """How many queries each group has."""
        return np.diff(self.starts)

    def singles(self, several: npt.NDArray[np.bool_], nobody: int) -> Places:
        """The query of each group that has one; ``nobody`` for the others."""
        return np.where(several, nobody, self.order[self.starts[:-1]])

    def within(self, chosen: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
        """The queries of the chosen groups, and the place of the group among the chosen."""
        sizes = self.sizes
        return self.order[np.repeat(chosen, sizes)], np.repeat(np.arange(int(chosen.sum())), sizes[chosen])


@dataclass(frozen=True)
class SignedRanks:
    """For each part 2 × the sum of the ranks of the positive differences, and Σ(t³ - t) over equal sizes of
    difference; ``ranks`` are the doubled ranks themselves (parts × differences, 0 after the last), or None."""

    positive: Sums
    ties: Floats
    ranks: Sums | None


def signed_ranks(apart: Floats, members: Members, *, with_ranks: bool) -> SignedRanks:
    """Of differences (one a query; equal ones are equal floats) on every part; zeros are dropped."""
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
    # Twice a rank: twice those below, its own group (at least itself), and one more.
    own = ahead - tied_plus.sum(axis=0, dtype=np.int64) + _products(tied, tied_plus)
    return SignedRanks(
        positive=2 * below + own + ahead,
        ties=_ties(tied),
        ranks=doubled_ranks(either[layout.places][None])[0] if with_ranks else None,
    )


@dataclass(frozen=True)
class RunningCounts:
    """A run's values in ascending order: of each part, how many are among the first n; (queries + 1) × parts."""

    numbers: npt.NDArray[np.generic]
    before: Counts
    members: Members

    @classmethod
    def of(cls, numbers: npt.NDArray[np.generic], members: Members) -> RunningCounts:
        """Of one number a query."""
        order = np.argsort(numbers)
        before = np.zeros_like(members.rows)
        np.cumsum(members.rows[order], axis=0, dtype=before.dtype, out=before[1:])
        return cls(numbers[order], before, members)

    def wins_over(self, other: Groups) -> tuple[Sums, Floats]:
        """2 × Mann and Whitney's U of this run against another one; 3 Σ a·b·(a + b) over values that a of this run's
        queries and b of the other's have, which is what pooling adds to Σ(t³ - t) of either."""
        low = np.searchsorted(self.numbers, other.numbers)
        high = np.searchsorted(self.numbers, other.numbers, side="right")
        several, shared = other.sizes > 1, high > low
        lost = self._lost_to_singles(other.order[other.starts[:-1]][~several], low[~several])
        aside = several | shared
        queries, group = other.within(aside)
        theirs = self.members.counted(queries, group, int(aside.sum()))
        ours = self.before[high[aside]] - self.before[low[aside]]
        lost += _products(self.before[low[several]], theirs[several[aside]])
        equal = ours.astype(np.float64) * theirs
        pooled = 3 * (equal * (ours + theirs)).sum(axis=0)
        sizes = self.before[-1].astype(np.int64)
        return 2 * sizes**2 - 2 * lost - equal.sum(axis=0).astype(np.int64), pooled

    def _lost_to_singles(self, queries: Places, low: Places) -> Sums:
        """Σ over queries of another run, each with a value of its own: how many values of this run are below."""
        below = self.before.take(low, axis=0)
        below *= self.members.rows.take(queries, axis=0)
        return _column_sums(below, self.members.largest)


def own_ties(groups: Groups, members: Members) -> Floats:
    """Σ(t³ - t) over a run's own equal values, on every part."""
    several = groups.sizes > 1
    return _ties(members.counted(*groups.within(several), int(several.sum())))


def doubled_ranks(groups: Counts) -> Sums:
    """Twice the rank of every difference, from the counts of their groups (pairs × groups × parts); pairs × parts ×
    differences."""
    held = np.moveaxis(groups, 1, 2).astype(np.int64)
    below = np.cumsum(held, axis=2)
    sizes = held.sum(axis=2)
    ranks = np.zeros((*sizes.shape, int(sizes.max(initial=0))), dtype=np.int64)
    # Boolean places are filled in the order of cells, as np.repeat lists them.
    ranks[np.arange(ranks.shape[2]) < sizes[..., None]] = np.repeat(2 * below - held + 1, held.ravel())
    return ranks


@dataclass(frozen=True)
class _Layout:
    """Where groups stand in rows × parts: the first of every block, then the second of every block, and so on, so
    that all blocks are gone through at once in long stretches of memory. Products within a block fit ``dtype``."""

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
        """The members of these queries, one a group, where their groups stand."""
        rows = np.full(BLOCK * self.blocks, members.nobody)
        rows[self.places] = queries
        return members.rows.take(rows, axis=0)

    def products_below(self, low: Counts, high: Counts) -> tuple[Sums, Sums]:
        """Σ over groups g < h of low[g] · high[h], and Σ high[h], for each part."""
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
    """Σ along axis 0 of numbers up to ``largest``; as many at once as the type of the rows can hold."""
    at_once = max(1, int(np.iinfo(rows.dtype).max) // max(1, largest))
    folded = len(rows) // at_once * at_once
    summed: Sums = rows[folded:].sum(axis=0, dtype=np.int64)
    if folded:
        steps = rows[:folded].reshape(at_once, folded // at_once, -1).sum(axis=0, dtype=rows.dtype)
        summed += steps.sum(axis=0, dtype=np.int64)
    return summed


def _products(one: Counts, other: Counts) -> Sums:
    summed: Sums = np.einsum("gp,gp->p", one, other, dtype=np.int64)
    return summed


def _ties(groups: Counts) -> Floats:
    """Σ(t³ - t) over groups (axis 0)."""
    t = groups.astype(np.float64)
    ties: Floats = (t * t * t - t).sum(axis=0)
    return ties
