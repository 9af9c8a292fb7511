"""The board's figure as coordinates: both values of every run with intervals, and its move between the
orders.

Left, the runs in official order; lines lead to the same runs in preference order, where both values stand
on one axis. Coordinates are in SVG units, y downwards; classes carry every colour, so that light and dark
share the shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.output.right_to_left import isolated

ROW = 24.0
TOP = 44.0
NAME_WIDTH = 210.0
LEAST_NAME_WIDTH = 116.0
#: Of a letter of a name, and of the rank beside it.
LETTER, RANK = 8.4, 30.0
MOVES_WIDTH = 110.0
AXIS_WIDTH = 340.0
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
    """A labelled place on the axis."""

    x: float
    label: str


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
    axis_left: float
    axis_right: float
    left_out: int


def board_figure(rows: Sequence[FigureRow], *, left_out: int = 0) -> BoardFigure:
    """Lay the rows out, which come in preference order. The axis ends at the first tick past all marks."""
    name_width = _name_width(rows)
    moves_left = name_width + 8
    moves_right = moves_left + MOVES_WIDTH
    axis_left = moves_right + 8 + name_width + 16
    top, step = _axis(max((row_high(row) for row in rows), default=1.0))
    by_official = sorted(rows, key=lambda row: (row.rank_official, row.name))
    official_place = {row.name: place for place, row in enumerate(by_official)}

    def across(value: float) -> float:
        return round(axis_left + value / top * AXIS_WIDTH, 1)

    def mark(interval: Interval, y: float) -> Mark | None:
        if any(map(math.isnan, interval)):
            return None
        value, low, high = (across(part) for part in interval)
        return Mark(value, low, high, y)

    drawn = []
    for place, row in enumerate(rows):
        y = TOP + place * ROW
        drawn.append(
            DrawnRow(
                name=_short(row.name),
                full_name=row.name,
                perfect=row.perfect,
                rank_official=row.rank_official,
                rank_preference=row.rank_preference,
                y_official=TOP + official_place[row.name] * ROW,
                y_preference=y,
                official=mark(row.official, y - 4),
                preference=mark(row.preference, y + 4),
                move=_move(row),
            )
        )
    ticks = [
        Tick(across(step * place), f"{step * place:.2f}" if step < 1 else f"{step * place:g}")
        for place in range(round(top / step) + 1)
    ]
    bottom = TOP + len(rows) * ROW - ROW / 2
    return BoardFigure(
        width=axis_left + AXIS_WIDTH + 24,
        height=bottom + 34,
        bottom=bottom,
        rows=drawn,
        ticks=ticks,
        name_right=name_width,
        moves_left=moves_left,
        moves_right=moves_right,
        names_left=moves_right + 8,
        axis_left=axis_left,
        axis_right=axis_left + AXIS_WIDTH,
        left_out=left_out,
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
