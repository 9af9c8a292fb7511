"""Rankings as columns: passages as integer codes, sorted by rank, then by query.

The first rows are every query's first passage, the next rows every query's second, and so on. Queries are sorted by
their number of passages, most first, so that a row's number alone determines its rank and query. The top k of a run
is the beginning of its file. Reading it takes time in proportion to k × queries, not to the run's length.

A pid that is a plain decimal number is its own code. Other pids are numbered when the run is stored, by first
appearance in order of rank. Row i of the column ``pid`` is the pid of code i, so the beginning of the file also
contains every pid that it needs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pooling.files.columns import Columns, Integers, same_string
from pooling.files.ordering import query_chunks

Codes = NDArray[np.int64]
ROWS_A_GROUP = 1 << 18
LEAST_BEGINNING = 10
_META = "preferee.ranking"


@dataclass(frozen=True)
class Ranking:
    """The first ``depth`` ranks of every query of a run."""

    qids: tuple[str, ...]
    """The queries, by descending number of passages; ties in file order."""
    lengths: Codes
    """Number of passages of each query in the whole run."""
    depth: int
    """Number of ranks in this object; less than ``lengths[0]`` if only the top was read."""
    passages: Integers
    """Codes of the passages, sorted by rank, then by query; 32 bits wide if that suffices."""
    scores: NDArray[np.float32] | None
    """Aligned with ``passages``; None in runs without scores."""
    pids: pl.Series | None
    """The pid of each code; None if codes are the pids themselves. A pid may have several codes."""
    hashes: NDArray[np.uint64] | None = None
    """``pids.hash(seed=0)``, if it was computed while reading the run."""

    @cached_property
    def offsets(self) -> Codes:
        """The index of each rank's first row, from rank 1, followed by the number of rows. Shape (depth + 1,)."""
        at_rank = np.searchsorted(-self.lengths, -np.arange(1, self.depth + 1), side="right")
        return np.concatenate(([0], np.cumsum(at_rank))).astype(np.int64)

    def spell(self, codes: Integers) -> list[str]:
        if self.pids is None:
            return [str(code) for code in codes.tolist()]
        return self.pids.gather(codes).to_list()

    def top(self, depth: int) -> Ranking:
        """Return a ranking of only the first ``depth`` ranks."""
        depth = min(depth, self.depth)
        end = int(self.offsets[depth])
        scores = None if self.scores is None else self.scores[:end]
        return replace(self, depth=depth, passages=self.passages[:end], scores=scores)

    def frame(self) -> pl.DataFrame:
        """Return a table with columns qid, rank, pid and score (null without scores), sorted by rank."""
        counts = np.diff(self.offsets)
        ranks = np.repeat(np.arange(1, self.depth + 1), counts)
        places = np.arange(len(self.passages)) - np.repeat(self.offsets[:-1], counts)
        pid = (
            pl.Series(self.passages).cast(pl.String) if self.pids is None else self.pids.gather(self.passages)
        )
        return pl.DataFrame(
            {
                "qid": pl.Series(self.qids, dtype=pl.String).gather(places),
                "rank": ranks,
                "pid": pid,
                "score": pl.Series([None] * len(ranks), dtype=pl.Float32)
                if self.scores is None
                else self.scores,
            }
        )

    def tops(self, depth: int = 1) -> dict[str, tuple[str, ...]]:
        """Return qid → the first ``depth`` pids of the query, best first."""
        cut = self.top(depth)
        pids = cut.spell(cut.passages)
        found: dict[str, list[str]] = {qid: [] for qid in self.qids}
        for begin, end in zip(cut.offsets[:-1].tolist(), cut.offsets[1:].tolist(), strict=True):
            for qid, pid in zip(self.qids, pids[begin:end], strict=False):
                found[qid].append(pid)
        return {qid: tuple(at_top) for qid, at_top in found.items()}


def rank_first(columns: Columns) -> Ranking:
    """Build a ranking from lines that are grouped by query, the best line of each query first."""
    counts = np.bincount(columns.query, minlength=len(columns.qids))
    by_length = np.argsort(-counts, kind="stable")
    place_of = np.empty(len(counts), np.int64)
    place_of[by_length] = np.arange(len(counts))
    passages = np.empty_like(columns.codes)
    scores = None if columns.score is None else np.empty_like(columns.score)
    empty = Ranking(
        tuple(columns.qids[place] for place in by_length),
        counts[by_length],
        int(counts.max(initial=0)),
        passages,
        scores,
        columns.spelling,
        columns.hashes,
    )
    for begin, end, starts in query_chunks(columns.query):
        lengths = np.diff(starts, append=end)
        rank = np.arange(begin, end) - np.repeat(starts, lengths)
        target = empty.offsets[rank] + np.repeat(place_of[columns.query[starts]], lengths)
        passages[target] = columns.codes[begin:end]
        if scores is not None and columns.score is not None:
            scores[target] = columns.score[begin:end]
    return empty


def numbered_by_appearance(ranking: Ranking) -> Ranking:
    """Return the ranking with pids numbered by first appearance, in order of rank. Decimal pids keep their codes."""
    if ranking.pids is None:
        return ranking
    spelling = ranking.pids
    # A pid may have several codes in memory, but has a single code in the file.
    hashes = spelling.hash(seed=0).to_numpy() if ranking.hashes is None else ranking.hashes
    codes = same_string(spelling, hashes)[ranking.passages]
    rows = np.arange(len(codes), dtype=np.int32)
    table = np.empty(len(spelling), np.int32)
    table[codes[::-1]] = rows[::-1]  # the last write wins, which is the first appearance
    appears = table[codes] == rows
    first = codes[appears]
    table[first] = np.arange(len(first), dtype=np.int32)
    return replace(ranking, passages=table[codes], pids=spelling.gather(first), hashes=None)


def beginning(ranking: Ranking) -> Ranking | None:
    """Return as many top ranks as fit in one row group, but at least ten; None if that is the whole ranking."""
    fit = int(np.searchsorted(ranking.offsets, ROWS_A_GROUP, side="right")) - 1
    depth = max(fit, LEAST_BEGINNING)
    return None if depth >= ranking.depth else ranking.top(depth)


def write_ranking(ranking: Ranking, path: Path) -> None:
    """Write a whole ranking, or the beginning of one, to a Parquet file."""
    ranking = numbered_by_appearance(ranking)
    passages = ranking.passages
    columns: dict[str, pl.Series] = {"passage": pl.Series(passages)}
    if ranking.scores is not None:
        columns["score"] = pl.Series(ranking.scores)
    if ranking.pids is not None:
        columns["pid"] = ranking.pids.extend_constant(None, len(passages) - len(ranking.pids))
    meta: dict[str, object] = {"qids": ranking.qids, "lengths": ranking.lengths.tolist()}
    if len(ranking.lengths) and ranking.depth < ranking.lengths[0]:
        meta["depth"] = ranking.depth
    pl.DataFrame(columns).write_parquet(
        path,
        compression="zstd",
        compression_level=1,
        statistics=False,
        row_group_size=ROWS_A_GROUP,
        metadata={_META: json.dumps(meta, ensure_ascii=False)},
    )


def read_ranking(path: Path, depth: int | None = None) -> Ranking:
    """Read a stored ranking, or only its first ``depth`` ranks, in time proportional to depth × queries.

    If the file contains only the beginning of a ranking, so does the result.
    """
    meta = json.loads(pl.read_parquet_metadata(path)[_META])
    lengths = np.array(meta["lengths"], np.int64)
    held = int(meta.get("depth", lengths[0])) if len(lengths) else 0
    held = held if depth is None else min(depth, held)
    rows = int(np.minimum(lengths, held).sum())
    frame = pl.read_parquet(path, n_rows=rows, glob=False)
    return Ranking(
        tuple(meta["qids"]),
        lengths,
        held,
        frame["passage"].to_numpy(),
        frame["score"].to_numpy() if "score" in frame.columns else None,
        frame["pid"].drop_nulls() if "pid" in frame.columns else None,
    )
