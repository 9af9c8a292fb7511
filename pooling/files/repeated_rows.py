"""Find repeated rows in little more memory than the rows themselves."""

import numpy as np
from numpy.typing import NDArray

#: The number of rows examined together.
TOGETHER = 1 << 20


def repeated(keys: NDArray[np.uint64], most: int) -> tuple[int, list[tuple[int, int]]]:
    """Return how many rows repeat an earlier row's key, and the first ``most`` of them as (row, earliest equal row).

    ``keys`` has one entry per row. At most two more arrays of its size are in memory at a time. So even a large file
    in which all lines are the same can be checked.
    """
    several, count = _repeated_keys(keys)
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


def _repeated_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], int]:
    """Return the keys that occur more than once, ascending, and the number of rows that repeat an earlier key."""
    ordered = np.sort(keys)
    same = ordered[1:] == ordered[:-1]
    begins = same.copy()
    begins[1:] &= ~same[:-1]
    return ordered[1:][begins], int(np.count_nonzero(same))
