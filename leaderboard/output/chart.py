"""What a figure shows, for pages that draw it themselves: names and numbers, no colours, no library.

A page has the same numbers in a table; the drawing in print is in ``drawing``. Values that are not there are None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leaderboard.output.content import plain

Mark = tuple[float | None, float | None, float | None]
"""A value and its bounds; bounds are None where there is no interval."""


@dataclass(frozen=True)
class Series:
    """One kind of value of every row."""

    name: str
    marks: Sequence[Mark]


@dataclass(frozen=True)
class Spans:
    """Rows from top to bottom, each with a value (and its interval) of every series on one axis.

    ``line`` is a value to draw a line at, such as 0 where differences are shown.
    """

    title: str
    axis: str
    rows: Sequence[str]
    series: Sequence[Series]
    share: bool = False
    """Values are shares, to be read in per cent."""
    line: float | None = None
    notes: Sequence[str] = ()
    """More to say of each row, or nothing."""
    first_colour: int = 0
    """The place among the colours, from 0, that the first series has."""


@dataclass(frozen=True)
class Cells:
    """A grid of shares from ``low`` to ``high``; a diverging scale where 0.5 is neither.

    ``cells`` are (row, column, share); ``marked`` (row, column) are significant.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[tuple[int, int, float]]
    across: str
    low: float = 0.0
    high: float = 1.0
    diverging: bool = False
    marked: Sequence[tuple[int, int]] = ()
    notes: Sequence[str] = ()
    """More to say of each row, or nothing."""


@dataclass(frozen=True)
class Point:
    """A run at a place; ``x`` is a number, or a day as in 2021-08-31."""

    name: str
    x: Mark | str
    y: Mark
    note: str = ""


@dataclass(frozen=True)
class Points:
    """Points on two axes; ``steps`` are the places of those that a staircase joins.

    ``named`` are the places of those whose names are written beside them, the most important first; None for all.
    """

    title: str
    x_axis: str
    y_axis: str
    points: Sequence[Point]
    steps: Sequence[int] = ()
    named: Sequence[int] | None = None
    note: str = ""
    """What has to be said under the figure, or nothing."""


@dataclass(frozen=True)
class Part:
    """One part of every row's whole: shares from 0 to 1, one a row."""

    name: str
    shares: Sequence[float]


@dataclass(frozen=True)
class Bars:
    """Rows from top to bottom, each a whole cut into ``parts``; ``beside`` is a share of its own under each."""

    title: str
    axis: str
    rows: Sequence[str]
    parts: Sequence[Part]
    beside: Part
    notes: Sequence[str] = ()
    """More to say of each row, or nothing."""


Chart = Spans | Cells | Points | Bars


def chart_content(chart: Chart) -> Mapping[str, Any]:
    """JSON-ready, with the form's name."""
    found: dict[str, Any] = plain({"form": type(chart).__name__.lower()} | asdict(chart))
    return found
