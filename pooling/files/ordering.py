"""Sort the lines of a run by rank, and count irregularities such as ties.

Most files are already sorted, so only the lines of unsorted queries, and tied lines, are moved, in place.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pooling.files.columns import Columns, same_string

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
Whole = NDArray[np.int32] | NDArray[np.int64]
Keys = NDArray[np.float32] | Whole
ROWS_A_CHUNK = 1 << 19
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A factor that spreads query numbers over 64 bits (Fibonacci hashing), to combine query and pid in one key."""


@dataclass(frozen=True)
class Oddities:
    """Counts of irregularities that are allowed but cause a warning.

    ``tied_lines`` counts lines; the others count queries.
    """

    rank_disagreements: int
    tied_queries: int
    tied_lines: int
    tied_tops: int
    rank_gaps: int


def order_lines(columns: Columns, by: str) -> Oddities:
    """Sort the lines in place: first by query, in order of first appearance, then ``by`` score or rank.

    ``score``: descending; ties by pid descending, bytes compared as numbers (trec_eval 9.0.4, strcmp).
    ``rank``: ascending; equal ranks stay in file order. Returns the counts of irregularities.
    """
    group_by_query(columns)
    falling = columns.score if by == "score" else None
    ranks_ascend = not _lines_out_of_order(columns.query, columns.number, descending=False).any()
    disagreements = 0
    if columns.score is not None and (ranks_ascend or falling is None):
        _move_rows(columns, *_unsorted_queries(columns.query, columns.number, descending=False))
        disagreements = _scores_against_ranks(columns.query, columns.number, columns.score)
    key = columns.number if falling is None else falling
    _move_rows(columns, *_unsorted_queries(columns.query, key, descending=falling is not None))
    follows = columns.query[1:] == columns.query[:-1]
    ties = follows & (key[1:] == key[:-1])
    if falling is not None:
        if not ranks_ascend:
            disagreements = _ranks_against_scores(columns.query, columns.number, ties)
        _move_rows(columns, *_ties_by_pid(columns, ties))
    tied = _either_side(ties)
    gaps = 0
    if by == "rank":
        gaps = _count_queries(columns.query[1:][follows & (np.diff(columns.number) != 1)])
    first = np.concatenate(([True], ~follows))
    return Oddities(
        disagreements,
        _count_queries(columns.query[tied]),
        int(np.count_nonzero(tied)),
        int(np.count_nonzero(tied & first)),
        gaps,
    )


def group_by_query(columns: Columns) -> None:
    """Bring the lines of each query together, in place, keeping their order."""
    if (columns.query[1:] < columns.query[:-1]).any():
        _move_rows(columns, np.arange(len(columns)), np.argsort(columns.query, kind="stable"))


def query_chunks(query: NDArray[np.int32]) -> Iterator[tuple[int, int, Rows]]:
    """Yield chunks of whole queries, from lines that are grouped by query.

    A chunk is (first row, end, the rows at which its queries start).
    """
    starts = np.concatenate(([0], np.flatnonzero(query[1:] != query[:-1]) + 1))
    begin = 0
    while begin < len(starts):
        end = max(int(np.searchsorted(starts, starts[begin] + ROWS_A_CHUNK)), begin + 1)
        last = int(starts[end]) if end < len(starts) else len(query)
        yield int(starts[begin]), last, starts[begin:end]
        begin = end


def duplicate_rows(columns: Columns) -> tuple[int, int] | None:
    """Return the first two rows with the same query and passage; None if no passage is repeated.

    If several passages are repeated, these are the rows of the passage whose second row comes first.
    """
    query = columns.query
    if (query[1:] < query[:-1]).any():
        return _first_repeat(np.argsort(query, kind="stable"), query, columns)
    for begin, end, _ in query_chunks(query):
        part = slice(begin, end)
        key: NDArray[np.uint64] | Rows | None
        if columns.hashes is not None:
            key = columns.hashes[columns.codes[part]] + query[part].astype(np.uint64) * _ODD
        else:
            key = _joint_key(query[part], columns.codes[part])
        if key is not None:
            key.sort()
            if not (key[1:] == key[:-1]).any():
                continue
        if found := _first_repeat(np.arange(begin, end), query, columns):
            return found
    return None


def _joint_key(query: NDArray[np.int32], codes: Whole) -> Rows | None:
    """Return an integer for each line that identifies its query and passage, or None if 64 bits are too few."""
    span = int(codes.max()) + 1
    low = int(query.min())
    if (int(query.max()) - low + 1) * span >= 2**63:
        return None
    return (query - low).astype(np.int64) * span + codes


def _first_repeat(rows: Rows, query: NDArray[np.int32], columns: Columns) -> tuple[int, int] | None:
    codes = columns.codes
    if columns.spelling is not None and columns.hashes is not None:
        codes = same_string(columns.spelling, columns.hashes)[codes]
    order = rows[np.lexsort((rows, codes[rows], query[rows]))]
    repeats = (query[order[1:]] == query[order[:-1]]) & (codes[order[1:]] == codes[order[:-1]])
    if not repeats.any():
        return None
    at = np.flatnonzero(repeats)
    earliest = at[np.argmin(order[at + 1])]
    return int(order[earliest]), int(order[earliest + 1])


def _move_rows(columns: Columns, places: Rows, rows: Rows) -> None:
    """Copy the content of ``rows`` to the rows ``places``, in every array of the columns."""
    if len(places):
        for array in columns.arrays():
            array[places] = array[rows]


def _lines_out_of_order(query: NDArray[np.int32], key: Keys, *, descending: bool) -> Mask:
    """Return, for each line from the second on, whether it should come before the previous line of its query."""
    wrong: Mask = key[1:] > key[:-1] if descending else key[1:] < key[:-1]
    wrong &= query[1:] == query[:-1]
    return wrong


def _unsorted_queries(
    query: NDArray[np.int32],
    key: Keys,
    *,
    descending: bool,
) -> tuple[Rows, Rows]:
    """Return the rows of all queries not sorted by ``key``, and for each one the row to copy into it."""
    wrong = _lines_out_of_order(query, key, descending=descending)
    if not wrong.any():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    unsorted = np.zeros(int(query.max()) + 1, bool)
    unsorted[query[1:][wrong]] = True
    places = np.flatnonzero(unsorted[query])
    keys = -key[places] if descending else key[places]
    return places, places[np.lexsort((keys, query[places]))]


def _ties_by_pid(columns: Columns, ties: Mask) -> tuple[Rows, Rows]:
    """Return the tied rows to change so that pids descend, and for each one the row to copy into it."""
    places = np.flatnonzero(_either_side(ties))
    if not len(places):
        return places, places
    begins = ~np.concatenate(([False], ties))[places]
    group = np.cumsum(begins) - 1
    rises = _rises(columns, places) & ~begins[1:]
    rows = places.copy()
    size = np.bincount(group)
    pairs = np.flatnonzero(rises & (size[group[1:]] == 2))  # most ties have two rows, which just swap places
    rows[pairs], rows[pairs + 1] = places[pairs + 1], places[pairs]
    unsorted = np.zeros(len(size), bool)
    unsorted[group[1:][rises]] = True
    chosen = np.flatnonzero((unsorted & (size > 2))[group])
    if len(chosen):
        tied = pl.DataFrame({"group": group[chosen], "pid": columns.spell(columns.codes[places[chosen]])})
        order = tied.select(pl.arg_sort_by("group", "pid", descending=[False, True])).to_series()
        rows[chosen] = places[chosen[order.to_numpy()]]
    moved = rows != places
    return places[moved], rows[moved]


def _rises(columns: Columns, places: Rows) -> Mask:
    """Return, for each row of ``places`` but the first, whether its pid is greater than that of the row before it."""
    # polars compares strings byte by byte, as strcmp does.
    spelling, codes = columns.spelling, columns.codes[places]
    if spelling is not None and 8 * len(places) > len(spelling) and (codes == places).all():
        after = (spelling[1:] > spelling[:-1]).to_numpy()  # reading all pids costs less than selecting some
        return np.where(np.diff(places) == 1, after[places[1:] - 1], False)
    pid = columns.spell(codes)
    return np.asarray((pid[1:] > pid[:-1]).to_numpy())


def _either_side(ties: Mask) -> Mask:
    """Return, for each row, whether it is tied with the row before or after it."""
    tied = np.zeros(len(ties) + 1, bool)
    tied[1:] |= ties
    tied[:-1] |= ties
    return tied


def _scores_against_ranks(query: NDArray[np.int32], rank: Whole, score: NDArray[np.float32]) -> int:
    """Count the queries in which a lower score does not have a later rank, given lines in order of rank."""
    follows = query[1:] == query[:-1]
    same_rank = rank[1:] == rank[:-1]
    wrong = (score[1:] > score[:-1]) | (same_rank & (score[1:] != score[:-1]))
    return _count_queries(query[1:][follows & wrong])


def _ranks_against_scores(query: NDArray[np.int32], rank: Whole, ties: Mask) -> int:
    """Count the queries in which a lower score does not have a later rank, given lines in order of score."""
    low = int(rank.min())
    base = query.astype(np.int64) * (int(rank.max()) - low + 1)
    latest = np.maximum.accumulate(base + rank - low) - base  # the highest rank in the query so far
    place = np.arange(len(query))
    begins = np.concatenate(([True], ~ties))
    higher = np.maximum.accumulate(np.where(begins, place, 0)) - 1  # the last line with a higher score
    same = (higher >= 0) & (query[higher] == query)
    return _count_queries(query[same & (latest[higher] >= rank - low)])


def _count_queries(query: NDArray[np.int32]) -> int:
    return int(np.count_nonzero(np.bincount(query)))
