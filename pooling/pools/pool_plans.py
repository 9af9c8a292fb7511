"""Plan a pool before it is built, fast enough to update a page after every change of a form."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pooling.errors import PoolRefused
from pooling.models import ClusterSet, Collection, QrelSet, Run
from pooling.passages.clusters import canonical_of, cluster_set_of
from pooling.pools.pools import Choice, check_choice, known_relevant, refuse_unknown_queries
from pooling.rules import preview, shallow
from pooling.storage.ranking_files import ranking_of

#: A deeper preview would read and sort too much for a page; pools themselves can be deeper.
MOST_DEPTH = 100


@dataclass(frozen=True)
class PoolPlan:
    """A planned pool. Arrays have one entry per query of the collection, in its order."""

    qids: tuple[str, ...]
    sizes: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    """Queries that would be in the pool."""
    runs: tuple[tuple[Run, shallow.Contribution], ...]
    """Each run, with the numbers of passages that it supplies to the queries in the pool."""
    qrel: shallow.Contribution | None
    everything: shallow.PoolStats
    """Statistics of all requested queries, before small pools are left out and queries are drawn."""
    stats: shallow.PoolStats
    """Statistics of the queries in the pool."""
    outliers: preview.Outliers
    apart: tuple[Run, ...] = ()
    """Runs that share no passage with the other sources."""


def plan_pool(
    *,
    collection: Collection,
    runs: Sequence[Run],
    qrel_set: QrelSet | None = None,
    depth: int = 1,
    choice: Choice | None = None,
    prices: shallow.Prices | None = None,
) -> PoolPlan:
    """Return the pool that :func:`pooling.pools.pools.build_pool` would build, without building it.

    Sizes count near-duplicates once. A built pool may be smaller, because it also counts passages with the same text
    once, and texts may be unknown until they are fetched. With ``choice.min_size`` 1, building the pool draws the
    same queries. ``choice.fraction`` is not taken into account. Raises PoolRefused for an impossible plan.
    """
    choice, prices = choice or Choice(), prices or shallow.Prices()
    if not 1 <= depth <= MOST_DEPTH:
        raise PoolRefused(f"The depth shown here must be between 1 and {MOST_DEPTH}.")
    check_choice(choice, depth)
    qids = tuple(collection.queries.order_by("position").values_list("qid", flat=True))
    sources = _hashed_sources(runs, qrel_set, qids, depth, cluster_set_of(collection))
    asked = _query_indices(collection, qids, choice.qids)
    found = preview.preview_pools([source[asked] for source in sources])
    sizes = np.zeros(len(qids), np.int64)
    sizes[asked] = found.sizes
    chosen = _drawn_queries(qids, sizes, choice)
    all_qrel = None if qrel_set is None else found.brought[-1]
    if chosen.sum() < (sizes > 0).sum():
        found = preview.preview_pools([source[chosen] for source in sources])
    brought = found.brought[: len(runs)]
    qrel = None if qrel_set is None else found.brought[-1]
    supplied = {place: one.passages for place, one in enumerate(found.brought)}
    apart = shallow.sources_apart(supplied, found.shared)
    return PoolPlan(
        qids=qids,
        sizes=sizes,
        chosen=chosen,
        runs=tuple(zip(runs, brought, strict=True)),
        qrel=qrel,
        everything=shallow.stats_of_sizes(
            sizes[sizes > 0].tolist(), all_qrel.unique if all_qrel else 0, prices
        ),
        stats=shallow.stats_of_sizes(sizes[chosen].tolist(), qrel.unique if qrel else 0, prices),
        outliers=preview.outliers(np.where(chosen | (sizes == 0), sizes, -1)),
        apart=tuple(runs[place] for place in apart if place < len(runs)),
    )


def _query_indices(
    collection: Collection, qids: Sequence[str], wanted: Sequence[str] | None
) -> slice | NDArray[np.int64]:
    """Return the indices of the ``wanted`` queries; for all queries (None), a slice, which avoids copies."""
    if wanted is None:
        return slice(None)
    refuse_unknown_queries(collection, wanted, qids)
    position = {qid: place for place, qid in enumerate(qids)}
    return np.array(sorted({position[qid] for qid in wanted}), dtype=np.int64)


def _drawn_queries(qids: Sequence[str], sizes: NDArray[np.int64], choice: Choice) -> NDArray[np.bool_]:
    """Return a mask of the queries that building the pool would draw, among those with large enough pools."""
    there = np.flatnonzero(sizes >= max(1, choice.min_size))
    if choice.sample is not None:
        rng = np.random.default_rng(choice.seed)
        drawn = set(shallow.draw_queries([qids[place] for place in there.tolist()], choice.sample, rng))
        there = np.array([place for place in there.tolist() if qids[place] in drawn], dtype=np.int64)
    chosen = np.zeros(len(sizes), bool)
    chosen[there] = True
    return chosen


class _ArrayCache:
    """A process's cache of read-only arrays of hashes: the most recently used arrays, up to ``most_bytes``."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes, self.held = most_bytes, 0
        self.arrays: OrderedDict[Hashable, preview.Hashes] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], preview.Hashes]) -> preview.Hashes:
        with self.lock:
            if key in self.arrays:
                self.arrays.move_to_end(key)
                return self.arrays[key]
        made = make()
        made.setflags(write=False)
        with self.lock:
            if key not in self.arrays:
                self.arrays[key] = made
                self.held += made.nbytes
            while self.held > self.most_bytes and len(self.arrays) > 1:
                self.held -= self.arrays.popitem(last=False)[1].nbytes
        return made


_array_cache = _ArrayCache(128 * 1024 * 1024)


def _hashed_sources(
    runs: Sequence[Run],
    qrel_set: QrelSet | None,
    qids: tuple[str, ...],
    depth: int,
    clusters: ClusterSet | None,
) -> list[preview.Hashes]:
    """Return an array of hashed passages for each run and, last, for the qrel set, if any.

    Raises PoolRefused if there are no sources, or too many.
    """
    if not runs and qrel_set is None:
        raise PoolRefused("A pool needs runs or a qrel set.", "Choose some.")
    if len(runs) + (qrel_set is not None) > preview.MOST_SOURCES:
        raise PoolRefused(f"At most {preview.MOST_SOURCES - 1:,} runs can be shown at once.", "Choose fewer.")
    key = (hash(qids), clusters and clusters.pk)
    sources = [_hashed_tops(run, qids, depth, key, clusters) for run in runs]
    return sources if qrel_set is None else [*sources, _hashed_labels(qrel_set, qids, key, clusters)]


def _hashed_tops(
    run: Run, qids: tuple[str, ...], depth: int, key: Hashable, clusters: ClusterSet | None
) -> preview.Hashes:
    """Return hashes of the run's first ``depth`` passages of every query, shape (queries, depth)."""

    def read() -> preview.Hashes:
        ranking = ranking_of(run, depth)
        cut = ranking.top(depth)
        pids = pl.Series(cut.passages).cast(pl.String) if cut.pids is None else cut.pids.gather(cut.passages)
        hashes = _pid_hashes(pids, clusters)
        place_of = {qid: place for place, qid in enumerate(qids)}
        rows = np.array([place_of.get(qid, -1) for qid in cut.qids], dtype=np.int64)
        found = np.zeros((len(qids), depth), np.uint64)
        for rank, (begin, end) in enumerate(
            zip(cut.offsets[:-1].tolist(), cut.offsets[1:].tolist(), strict=True)
        ):
            at_rank = rows[: end - begin]
            known = at_rank >= 0
            found[at_rank[known], rank] = hashes[begin:end][known]
            if clusters:  # drop passages whose class already has a higher rank in the run
                found[(found[:, :rank] == found[:, rank : rank + 1]).any(axis=1), rank] = preview.NOTHING
        return found

    return _array_cache.get((run.storage_name, depth, key), read)


def _hashed_labels(
    qrel_set: QrelSet, qids: tuple[str, ...], key: Hashable, clusters: ClusterSet | None
) -> preview.Hashes:
    """Return hashes of the known relevant passage of every query, shape (queries, 1)."""

    def read() -> preview.Hashes:
        known = known_relevant(qrel_set)
        pids = [known.get(qid) for qid in qids]
        hashes = _pid_hashes(pl.Series([pid or "" for pid in pids], dtype=pl.String), clusters)
        return np.where(np.array([pid is not None for pid in pids]), hashes, preview.NOTHING)[:, None]

    return _array_cache.get((qrel_set.pk, qrel_set.sha256, qrel_set.min_grade, key), read)


def _pid_hashes(pids: pl.Series, clusters: ClusterSet | None) -> preview.Hashes:
    """Return 64-bit hashes of pids, equal within a class of near-duplicates.

    The bits above the bits for the source are never all zero, so that no hash is taken for ``NOTHING``.
    """
    if clusters and (canonical := canonical_of(clusters.collection, pids.unique().to_list())):
        pids = pids.replace(canonical)
    hashes: preview.Hashes = pids.hash(seed=0).to_numpy()
    return np.where(hashes >> np.uint64(preview.SOURCE_BITS) == 0, ~np.uint64(0), hashes)
