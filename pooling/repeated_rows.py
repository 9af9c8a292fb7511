"""Find repeated rows in little more memory than the rows themselves take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Rows looked at together.
TOGETHER = 1 << 20


def repeated(keys: NDArray[np.uint64], most: int) -> tuple[int, list[tuple[int, int]]]:
    """How many rows have the key of an earlier row, and of the first ``most`` of them (row, the earliest such row).

    ``keys`` has one entry a row. Beside it two arrays of its size are the most that is held at a time: a file made of
    one line over and over is checked, too.
    """
    several, count = _several(keys)
    earliest = np.full(len(several), -1, np.int64)
    found: list[tuple[int, int]] = []
    for begin in range(0, len(keys), TOGETHER):
        if len(found) >= most or not count:
            break
        part = keys[begin : begin + TOGETHER]
        place = np.minimum(np.searchsorted(several, part), len(several) - 1)
        rows = np.flatnonzero(several[place] == part)
        place, rows = place[rows], rows + begin
        new, at = np.unique(place, return_index=True)
        unseen = earliest[new] < 0
        earliest[new[unseen]] = rows[at[unseen]]
        again = np.flatnonzero(earliest[place] != rows)[: most - len(found)]
        found += zip(rows[again].tolist(), earliest[place[again]].tolist(), strict=True)
    return count, found


def _several(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], int]:
    """The keys of more than one row, ascending, and how many rows are not the first with theirs."""
    ordered = np.sort(keys)
    same = ordered[1:] == ordered[:-1]
    begins = same.copy()
    begins[1:] &= ~same[:-1]
    return ordered[1:][begins], int(np.count_nonzero(same))
