"""A matrix of values from 0 to 1 as shades, averaged in blocks if it has too many rows or columns to draw."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: The number of shades, besides the empty cell for zero. More shades would be hard to tell apart.
SHADES = 8
ROWS_DRAWN = 120
COLUMNS_DRAWN = 100

Values = npt.NDArray[np.float64]
Levels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Overview:
    """An SVG drawing of the whole matrix, in which each block has the size 1 × 1.

    ``paths`` maps each shade that occurs to its path data. ``row_starts`` and ``column_starts`` have the first index
    of each block, and the number of all rows or columns at the end.
    """

    paths: dict[int, str]
    row_starts: tuple[int, ...]
    column_starts: tuple[int, ...]

    @property
    def rows(self) -> int:
        """The number of blocks from top to bottom."""
        return len(self.row_starts) - 1

    @property
    def columns(self) -> int:
        """The number of blocks from left to right."""
        return len(self.column_starts) - 1

    @property
    def rows_a_block(self) -> int:
        """The largest number of rows that a block averages."""
        return int(np.diff(self.row_starts).max())

    @property
    def columns_a_block(self) -> int:
        """The largest number of columns that a block averages."""
        return int(np.diff(self.column_starts).max())


def shades(values: Values) -> Levels:
    """Return the shade of each value: 0 for zero and missing values, up to ``SHADES`` for 1."""
    known = np.clip(np.nan_to_num(values, nan=0.0), 0.0, 1.0)
    # Rounding keeps a value just above a step, such as 0.5 + 1e-16, at the shade of the step.
    return np.ceil(np.round(known * SHADES, 9)).astype(np.int64)


def overview_of(values: Values) -> Overview:
    """Return the overview of a matrix with at least one row and one column."""
    row_starts, column_starts = (
        _starts(length, most) for length, most in zip(values.shape, (ROWS_DRAWN, COLUMNS_DRAWN), strict=True)
    )
    known = np.nan_to_num(values, nan=0.0)
    sums = np.add.reduceat(np.add.reduceat(known, row_starts[:-1], axis=0), column_starts[:-1], axis=1)
    means = sums / np.outer(np.diff(row_starts), np.diff(column_starts))
    return Overview(_shade_paths(shades(means)), tuple(row_starts.tolist()), tuple(column_starts.tolist()))


def _starts(length: int, most: int) -> npt.NDArray[np.int64]:
    """Return the starts of at most ``most`` blocks of nearly equal length, followed by the total length."""
    return np.linspace(0, length, min(length, most) + 1).astype(np.int64)


def _shade_paths(levels: Levels) -> dict[int, str]:
    """Return shade → path data. Horizontally adjacent blocks of one shade form one rectangle."""
    paths: dict[int, list[str]] = {}
    for row, shaded in enumerate(levels):
        edges = np.flatnonzero(np.diff(shaded)) + 1
        starts, ends = [0, *edges.tolist()], [*edges.tolist(), len(shaded)]
        for start, end in zip(starts, ends, strict=True):
            if level := int(shaded[start]):
                paths.setdefault(level, []).append(f"M{start} {row}h{end - start}v1h{start - end}z")
    return {level: "".join(parts) for level, parts in sorted(paths.items())}
