"""Find the ranks of wanted passages, such as the labeled passages of a qrel set, in a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pooling.files.ranking import ROWS_A_GROUP, Codes, Ranking


class Sought:
    """Sorted integers to find in a large array, with two lookup tables that are indexed by an integer's low bits.

    ``table`` rules out nearly all entries of the array with one lookup each. For the other entries, ``likely`` has
    the probable index in ``values``.
    """

    def __init__(self, values: Codes) -> None:
        self.values = values
        bits = min(max(10, int(len(values) * 64).bit_length()), 22)
        self.mask = (1 << bits) - 1
        self.table = np.zeros(1 << bits, bool)
        self.table[values & self.mask] = True
        self.likely = np.zeros(1 << bits, np.int32)
        self.likely[values & self.mask] = np.arange(len(values), dtype=np.int32)

    def among(self, values: NDArray[np.integer]) -> tuple[Codes, Codes]:
        """Find the sought integers among ``values``.

        Returns the rows of ``values`` that contain a sought integer, ascending, and that integer's index in
        ``self.values`` for each row.
        """
        if not len(self.values) or not len(values):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        chunks = range(0, len(values), ROWS_A_GROUP)
        rows = np.concatenate(
            [at + np.flatnonzero(self.table[values[at : at + ROWS_A_GROUP] & self.mask]) for at in chunks]
        )
        held = values[rows]
        which = self.likely[held & self.mask].astype(np.int64)
        unlike = np.flatnonzero(self.values[which] != held)  # the two integers share only their low bits
        which[unlike] = np.minimum(np.searchsorted(self.values, held[unlike]), len(self.values) - 1)
        same = self.values[which] == held
        return rows[same], which[same]


@dataclass(frozen=True)
class Wanted:
    """Passages to look for in rankings, such as the labeled passages of a qrel set.

    Entry ``i`` is the passage ``pids[i]`` of the query ``qids[query[i]]``.
    """

    qids: tuple[str, ...]
    query: Codes
    pids: tuple[str, ...]

    @cached_property
    def place(self) -> Mapping[str, int]:
        """qid → its index in ``qids``."""
        return {qid: index for index, qid in enumerate(self.qids)}

    @cached_property
    def spelled(self) -> tuple[Codes, pl.Series]:
        """Each entry's pid as an index into the sorted distinct pids, and these pids."""
        pids = pl.Series("pid", self.pids, dtype=pl.String)
        return pids.rank("dense").to_numpy().astype(np.int64) - 1, pids.unique().sort()

    @cached_property
    def hashes(self) -> tuple[Codes, Sought]:
        """The indices of the distinct pids, sorted by hash, and the hashes to find in the same order."""
        hashes = self.spelled[1].hash(seed=0).to_numpy().view(np.int64)
        order = np.argsort(hashes)
        return order, Sought(hashes[order])

    @cached_property
    def decimals(self) -> tuple[Codes, Sought]:
        """The indices of the distinct pids that are plain decimals, sorted by value, and the values to find."""
        codes = np.array([_own_code(pid) for pid in self.spelled[1]], np.int64)
        order = np.argsort(codes)
        order = order[codes[order] >= 0]
        return order, Sought(codes[order])

    @cached_property
    def keys(self) -> tuple[Codes, Sought]:
        """The entries' indices, sorted by key, and the keys to find: query and distinct pid as one integer."""
        keys = self.query * len(self.spelled[1]) + self.spelled[0]
        order = np.argsort(keys)
        return order, Sought(keys[order])


def _own_code(pid: str) -> int:
    plain = pid.isascii() and pid.isdigit() and len(pid) <= 18 and (pid == "0" or pid[0] != "0")
    return int(pid) if plain else -1


@dataclass(frozen=True)
class Found:
    """The positions of wanted passages in a run."""

    rank: Codes
    """Rank of each wanted entry, from 1; 0 if it is not among the ranks read."""
    retrieved: Codes
    """Number of passages in the whole run for each query of ``Wanted.qids``; 0 if the run has no such query."""


def find_wanted(ranking: Ranking, wanted: Wanted) -> Found:
    """Return the ranks of the wanted passages, and the ranking's number of passages for each query."""
    query_of = np.fromiter(map(wanted.place.get, ranking.qids, repeat(-1)), np.int64, len(ranking.qids))
    places = np.flatnonzero(query_of >= 0)
    retrieved = np.zeros(len(wanted.qids), np.int64)
    retrieved[query_of[places]] = ranking.lengths[places]
    rank = np.zeros(len(wanted.query), np.int64)
    entries, keys = wanted.keys
    if not len(places):
        return Found(rank, retrieved)
    rows, distinct = _wanted_rows(ranking, places, wanted)
    at_rank = np.searchsorted(ranking.offsets, rows, side="right")
    query = query_of[rows - ranking.offsets[at_rank - 1]]
    known = np.flatnonzero(query >= 0)
    hits, which = keys.among(query[known] * len(wanted.spelled[1]) + distinct[known])
    rank[entries[which]] = at_rank[known[hits]]
    return Found(rank, retrieved)


def _wanted_rows(ranking: Ranking, places: Codes, wanted: Wanted) -> tuple[Codes, Codes]:
    """Return the rows whose passage is wanted for some query, ascending.

    Also returns the index of each row's pid among the distinct pids. ``places`` are the indices of the wanted queries
    in the run. Rows of other queries are skipped, unless more than half of the run's queries are wanted.
    """
    some = None if 2 * len(places) > len(ranking.qids) else _rows_of_queries(ranking, places)
    codes = ranking.passages if some is None else ranking.passages[some]
    if ranking.pids is None:
        order, sought = wanted.decimals
        held, which = sought.among(codes)
        distinct = order[which]
    else:
        held, distinct = _wanted_string_rows(ranking.pids, _signed_hashes(ranking)[codes], codes, wanted)
    return (held if some is None else some[held]), distinct


def _rows_of_queries(ranking: Ranking, places: Codes) -> Codes:
    """Return the rows of these queries (indices in ``ranking.qids``), in order of rank."""
    # The number of these queries with a passage at each rank. Queries are sorted by their number of passages, so the
    # queries that reach a rank come first.
    at_rank = np.searchsorted(places, np.diff(ranking.offsets))
    begins = np.cumsum(at_rank) - at_rank
    turn = np.arange(int(at_rank.sum())) - np.repeat(begins, at_rank)
    rows: Codes = places[turn] + np.repeat(ranking.offsets[:-1], at_rank)
    return rows


def _signed_hashes(ranking: Ranking) -> Codes:
    assert ranking.pids is not None
    hashes = ranking.pids.hash(seed=0).to_numpy() if ranking.hashes is None else ranking.hashes
    signed: Codes = hashes.view(np.int64)
    return signed


def _wanted_string_rows(
    pids: pl.Series, hashes: Codes, codes: NDArray[np.integer], wanted: Wanted
) -> tuple[Codes, Codes]:
    """Return the rows of ``codes`` with a wanted pid, and that pid's index among the distinct pids.

    ``hashes`` has the hash of each row's pid.
    """
    order, sought = wanted.hashes
    held, which = sought.among(hashes)
    distinct = order[which]
    if (pids.gather(codes[held]) == wanted.spelled[1].gather(distinct)).all():
        return held, distinct
    # Two different pids share a 64-bit hash: look up every pid instead, which is slower.
    place = dict(zip(wanted.spelled[1], range(len(wanted.spelled[1])), strict=True))
    meaning = np.array([place.get(pid, -1) for pid in pids.gather(codes)], np.int64)
    held = np.flatnonzero(meaning >= 0)
    return held, meaning[held]
