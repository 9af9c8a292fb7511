"""Preview a pool from arrays: the number of passages for each query, and each source's contribution.

Sources are runs and the qrels. A passage is a 64-bit hash of its pid, whose low 12 bits are replaced by the number of
its source. After each query's row is sorted, a comparison of neighbors shows how many different passages there are,
and which of them only one source supplied. Two passages of one query whose hashes agree in the other 52 bits count as
one: for 10,000 passages, the chance is about one in 90 million. (Building a pool compares the pids themselves.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.rules.shallow import Contribution

Hashes = NDArray[np.uint64]
NOTHING = np.uint64(0)
SOURCE_BITS = 12
MOST_SOURCES = (1 << SOURCE_BITS) - 1
_SOURCE = np.uint64(MOST_SOURCES)
#: Entries sorted at once, which bounds memory at great depth.
ENTRIES_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class PreviewedPools:
    """The result of a preview. ``sizes``: number of passages in each query's pool, shape (queries,)."""

    sizes: NDArray[np.int64]
    brought: tuple[Contribution, ...]
    """The contribution of each source, in the order of the sources."""
    shared: tuple[tuple[int, int], ...] = ()
    """Pairs of sources (by index) that supplied the same passage of a query. If three or more sources supplied a
    passage, not every pair of them is listed, but enough pairs to connect them."""


def preview_pools(sources: Sequence[Hashes]) -> PreviewedPools:
    """Return the sizes of the pools that these sources would form, and the contribution of each source.

    Each source is an array of hashes, shape (queries, depth), padded with ``NOTHING``, with a passage at most once
    per query. Raises ValueError for more than ``MOST_SOURCES`` sources.
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
    """Return the size of each query's pool, and how many passages each source supplied: in all, and as the only one.

    Sets ``linked[i, j]`` if sources ``i`` and ``j``, numbered from 1, supplied the same passage.
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
    # Only one source supplied a passage if its hash differs from the previous and the next hash.
    last = first.copy()
    first[:, 1:] &= differs
    last[:, :-1] &= differs
    sole = numbered[first & last]
    alone = np.bincount(sole, minlength=len(sources) + 1)
    return first.sum(axis=1), brought[1:].astype(np.int64), alone[1:]


@dataclass(frozen=True)
class Outliers:
    """The queries with the smallest and the most expensive pools, as indexes in the array of pool sizes.

    ``giant_from`` is the number of passages from which a pool is in ``giant``.
    """

    empty: NDArray[np.int64]
    singletons: NDArray[np.int64]
    giant: NDArray[np.int64]
    giant_from: int


LEAST_GIANT = 10


def outliers(sizes: NDArray[np.int64]) -> Outliers:
    """Find empty pools, pools of one passage, and giant pools: above twice the median, and at least ten passages.

    A pool of *n* passages has n (n - 1) / 2 pairs, so twice the size is four times the cost. Giant pools are sorted
    by size, largest first.
    """
    there = sizes[sizes > 0]
    middle = float(np.median(there)) if len(there) else 0.0
    least = max(LEAST_GIANT, int(2 * middle) + 1)
    giant = np.flatnonzero(sizes >= least)
    giant = giant[np.argsort(-sizes[giant], kind="stable")]
    return Outliers(np.flatnonzero(sizes == 0), np.flatnonzero(sizes == 1), giant, least)
