"""Preview a pool from arrays: its size, and the passages that only one source supplies.

Passages are 64-bit hashes of their pids. A source (a run, or the qrels) is packed into the low bits of each hash, so
that one sort of a query's row shows both how many passages differ and which of them only one source supplied. Two
passages of one query whose hashes agree in the other 52 bits count as one: for 10,000 passages, the chance is about
one in 90 million. (Building a pool compares the pids themselves.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.shallow import Contribution

Hashes = NDArray[np.uint64]
NOTHING = np.uint64(0)
SOURCE_BITS = 12
MOST_SOURCES = (1 << SOURCE_BITS) - 1
_SOURCE = np.uint64(MOST_SOURCES)
#: Entries sorted at once, which bounds memory at great depth.
ENTRIES_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class PreviewedPools:
    """Previewed pools. ``sizes``: shape (queries,), 0 where nothing was retrieved."""

    sizes: NDArray[np.int64]
    brought: tuple[Contribution, ...]
    """The contribution of each source, in the order of the sources."""
    shared: tuple[tuple[int, int], ...] = ()
    """Pairs of sources (by index) that share a passage of a query: not all pairs, but enough to connect them all."""


def preview_pools(sources: Sequence[Hashes]) -> PreviewedPools:
    """Preview the pools of these sources.

    Each source is an array of hashes, shape (queries, depth), padded with ``NOTHING``, with a passage at most once
    per query. Raises ValueError for too many sources to tell apart.
    """
    if len(sources) > MOST_SOURCES:
        raise ValueError(f"at most {MOST_SOURCES} sources can be told apart")
    queries = len(sources[0]) if sources else 0
    sizes = np.zeros(queries, np.int64)
    passages = np.zeros(len(sources), np.int64)
    unique = np.zeros(len(sources), np.int64)
    linked = np.zeros((len(sources) + 1, len(sources) + 1), bool)
    width = sum(source.shape[1] for source in sources)
    step = max(1, ENTRIES_AT_ONCE // max(1, width))
    for begin in range(0, queries, step):
        some = slice(begin, begin + step)
        sizes[some], brought, alone = _count_supplied([source[some] for source in sources], linked)
        passages += brought
        unique += alone
    counts = zip(passages.tolist(), unique.tolist(), strict=True)
    shared = ((one - 1, other - 1) for one, other in np.argwhere(linked).tolist())
    return PreviewedPools(sizes, tuple(Contribution(*pair) for pair in counts), tuple(shared))


def _count_supplied(
    sources: Sequence[Hashes], linked: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sizes of the pools, and for each source how many passages it supplied, in all and alone.

    Marks pairs of sources, numbered from 1, that supplied the same passage in ``linked``.
    """
    by_source = np.concatenate(
        [source.T for source in sources]
    )  # one row per source and rank, because rows are faster to fill than columns
    numbers = np.repeat(np.arange(1, len(sources) + 1, dtype=np.uint64), [one.shape[1] for one in sources])
    there = by_source != NOTHING
    brought = np.bincount(numbers.astype(np.int64), weights=there.sum(axis=1), minlength=len(sources) + 1)
    np.bitwise_and(by_source, ~_SOURCE, out=by_source)
    np.bitwise_or(by_source, numbers[:, None], out=by_source, where=there)
    packed = np.ascontiguousarray(by_source.T)
    packed.sort(axis=1)
    passage = packed >> np.uint64(SOURCE_BITS)
    first = passage != NOTHING
    differs = passage[:, 1:] != passage[:, :-1]
    same = first[:, 1:] & ~differs
    numbered = (packed & _SOURCE).astype(np.int64)
    linked[numbered[:, :-1][same], numbered[:, 1:][same]] = True
    # A hash is alone if it differs from the previous and the next hash.
    last = first.copy()
    first[:, 1:] &= differs
    last[:, :-1] &= differs
    sole = numbered[first & last]
    alone = np.bincount(sole, minlength=len(sources) + 1)
    return first.sum(axis=1), brought[1:].astype(np.int64), alone[1:]


@dataclass(frozen=True)
class Outliers:
    """Indexes, in the array of sizes, of pools with little to judge and of the most expensive pools."""

    empty: NDArray[np.int64]
    singletons: NDArray[np.int64]
    giant: NDArray[np.int64]
    giant_from: int


LEAST_GIANT = 10


def outliers(sizes: NDArray[np.int64]) -> Outliers:
    """Find empty pools, pools of one passage, and giants: more than twice the median, and at least ten passages.

    A pool of *n* passages has n (n - 1) / 2 pairs, so twice the size is four times the cost. The largest pools come
    first.
    """
    there = sizes[sizes > 0]
    middle = float(np.median(there)) if len(there) else 0.0
    least = max(LEAST_GIANT, int(2 * middle) + 1)
    giant = np.flatnonzero(sizes >= least)
    giant = giant[np.argsort(-sizes[giant], kind="stable")]
    return Outliers(np.flatnonzero(sizes == 0), np.flatnonzero(sizes == 1), giant, least)
