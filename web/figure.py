"""The board's figure as coordinates: a panel with intervals for either set of labels, and how ranks move.

Left, the runs in official order with their official values; lines lead to the same runs in preference order, with
their values beside them. Both axes are the same, from zero. Coordinates are in SVG units, y downwards; classes carry
every colour, so that light and dark share the shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.output.right_to_left import isolated

ROW = 24.0
#: With more rows the figure scrolls in a box of its own, and has its axis at its foot, too.
ROWS_AT_A_GLANCE = 40
FOOT = 20.0
TOP = 44.0
NAME_WIDTH = 210.0
LEAST_NAME_WIDTH = 116.0
#: Of a letter of a name, and of the rank beside it.
LETTER, RANK = 8.4, 30.0
MOVES_WIDTH = 110.0
AXIS_WIDTH = 230.0
#: Beside the figure, and between a panel and its names.
EDGE, GAP = 20.0, 16.0
LONGEST_NAME = 26
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

Interval = tuple[float, float, float]


@dataclass(frozen=True)
class FigureRow:
    """A run: (value, low, high) under either set of labels, nan without a value, and its ranks."""

    name: str
    official: Interval
    preference: Interval
    rank_official: int
    rank_preference: int
    perfect: bool = False


@dataclass(frozen=True)
class Mark:
    """A value with its interval on the axis."""

    x: float
    low: float
    high: float
    y: float


@dataclass(frozen=True)
class DrawnRow:
    """A run's name on either side, the line between them, and its two marks."""

    name: str
    full_name: str
    perfect: bool
    rank_official: int
    rank_preference: int
    y_official: float
    y_preference: float
    official: Mark | None
    preference: Mark | None
    move: str
    """up, down or same."""


@dataclass(frozen=True)
class Tick:
    """A labelled place on both axes."""

    both: tuple[float, float]
    label: str


@dataclass(frozen=True)
class Axis:
    """One panel's axis: from zero at ``left`` to ``top`` at ``right``."""

    left: float
    top: float

    @property
    def right(self) -> float:
        """Where the axis ends."""
        return self.left + AXIS_WIDTH

    def across(self, value: float) -> float:
        """The place of a value."""
        return round(self.left + value / self.top * AXIS_WIDTH, 1)

    def mark(self, interval: Interval, y: float) -> Mark | None:
        """A value with its bounds, where it has one."""
        if any(map(math.isnan, interval)):
            return None
        value, low, high = map(self.across, interval)
        return Mark(value, low, high, y)


@dataclass(frozen=True)
class BoardFigure:
    """All that the template draws."""

    width: float
    height: float
    bottom: float
    rows: list[DrawnRow]
    ticks: list[Tick]
    name_right: float
    moves_left: float
    moves_right: float
    names_left: float
    official: Axis
    preference: Axis
    left_out: int

    @property
    def long(self) -> bool:
        """Whether it is higher than a window."""
        return len(self.rows) > ROWS_AT_A_GLANCE


def board_figure(rows: Sequence[FigureRow], *, left_out: int = 0) -> BoardFigure:
    """Lay the rows out, which come in preference order. The axis ends at the first tick past all marks."""
    name_width = _name_width(rows)
    top, step = _axis(max((row_high(row) for row in rows), default=1.0))
    official = Axis(EDGE, top)
    name_right = official.right + GAP + name_width
    moves_left = name_right + 8
    moves_right = moves_left + MOVES_WIDTH
    names_left = moves_right + 8
    preference = Axis(names_left + name_width + GAP, top)
    by_official = sorted(rows, key=lambda row: (row.rank_official, not row.perfect, row.name))
    places = {row.name: TOP + place * ROW for place, row in enumerate(by_official)}
    bottom = TOP + len(rows) * ROW - ROW / 2
    values = [step * place for place in range(round(top / step) + 1)]
    return BoardFigure(
        width=preference.right + EDGE,
        height=bottom + 12 + (FOOT if len(rows) > ROWS_AT_A_GLANCE else 0),
        bottom=bottom,
        rows=[
            _drawn(row, places[row.name], TOP + place * ROW, official, preference)
            for place, row in enumerate(rows)
        ],
        ticks=[
            Tick((official.across(one), preference.across(one)), f"{one:.2f}" if step < 1 else f"{one:g}")
            for one in values
        ],
        name_right=name_right,
        moves_left=moves_left,
        moves_right=moves_right,
        names_left=names_left,
        official=official,
        preference=preference,
        left_out=left_out,
    )


def _drawn(row: FigureRow, y_official: float, y_preference: float, left: Axis, right: Axis) -> DrawnRow:
    return DrawnRow(
        name=_short(row.name),
        full_name=row.name,
        perfect=row.perfect,
        rank_official=row.rank_official,
        rank_preference=row.rank_preference,
        y_official=y_official,
        y_preference=y_preference,
        official=left.mark(row.official, y_official),
        preference=right.mark(row.preference, y_preference),
        move=_move(row),
    )


def row_high(row: FigureRow) -> float:
    """The highest point of a row's marks."""
    return max((part for part in (*row.official, *row.preference) if not math.isnan(part)), default=0.0)


def _axis(highest: float) -> tuple[float, float]:
    """(end, step): the smallest step that gives at most six ticks past zero."""
    for step in STEPS:
        if highest <= step * 6:
            return max(1, math.ceil(round(highest / step, 9))) * step, step
    return highest, highest / 5


def _move(row: FigureRow) -> str:
    if row.rank_preference == row.rank_official:
        return "same"
    return "up" if row.rank_preference < row.rank_official else "down"


def _name_width(rows: Sequence[FigureRow]) -> float:
    """As wide as the longest name needs: what names do not take, a small screen has for the lines."""
    longest = max((len(_short(row.name)) for row in rows), default=0)
    return min(NAME_WIDTH, max(LEAST_NAME_WIDTH, longest * LETTER + RANK))


def _short(name: str) -> str:
    return isolated(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…")
