"""The content of a figure, for pages that draw it themselves: names and numbers, without colors.

The page has the same numbers in a table, and ``drawing`` draws the figure for print. Missing values are None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.output.content import json_ready
from leaderboard.output.table import Estimate


@dataclass(frozen=True)
class Series:
    """One kind of value, given for every row."""

    name: str
    marks: Sequence[Estimate]


@dataclass(frozen=True)
class Spans:
    """Rows from top to bottom, each with a value (and its interval) of every series on one axis.

    ``line`` is the value of a reference line, such as 0 for differences.
    """

    title: str
    axis: str
    rows: Sequence[str]
    series: Sequence[Series]
    share: bool = False
    """Whether values are shares, shown as percentages."""
    line: float | None = None
    notes: Sequence[str] = ()
    """A note for each row; empty without notes."""
    first_colour: int = 0
    """The index of the first series' color, from 0."""
    reach: Sequence[tuple[float, float]] = ()
    """The lowest and the highest value of every row. If set, intervals are drawn as boxes, with whiskers to these
    values."""
    span: Sequence[float] = ()
    """The lowest and the highest value that the axis must cover, besides those of the rows; empty for none."""


@dataclass(frozen=True)
class Cells:
    """A grid of shares from ``low`` to ``high``, on a diverging scale centered at 0.5.

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
    """A note for each row; empty without notes."""


@dataclass(frozen=True)
class Point:
    """A run at a position; ``x`` is a number, or a date such as 2021-08-31."""

    name: str
    x: Estimate | str
    y: Estimate
    note: str = ""


@dataclass(frozen=True)
class Points:
    """Points on two axes; ``steps`` are the indexes of the points that a staircase joins.

    ``named`` are the indexes of the points labeled with their names, the most important first; None for all.
    """

    title: str
    x_axis: str
    y_axis: str
    points: Sequence[Point]
    steps: Sequence[int] = ()
    named: Sequence[int] | None = None
    note: str = ""
    """A note under the figure, or an empty string."""
    groups: Sequence[str] = ()
    """The group of every point, shown by color and shape; empty without groups."""
    diagonal: bool = False
    """Whether there is a line where both values are equal."""
    x_span: Sequence[float] = ()
    """The lowest and the highest value that the axis must cover, besides those of the points; empty for none."""
    y_span: Sequence[float] = ()


@dataclass(frozen=True)
class Part:
    """One part of every row's whole: shares from 0 to 1, one per row."""

    name: str
    shares: Sequence[float]


@dataclass(frozen=True)
class Bars:
    """Rows from top to bottom, each a whole cut into ``parts``; ``beside`` is another share shown below each."""

    title: str
    axis: str
    rows: Sequence[str]
    parts: Sequence[Part]
    beside: Part
    notes: Sequence[str] = ()
    """A note for each row; empty without notes."""


@dataclass(frozen=True)
class Curve:
    """A line from (0, 0) through ``values``, one for each x from 1, with a mark and its note at some of them."""

    name: str
    values: Sequence[int]
    marks: Sequence[tuple[int, str]]
    """The x of each mark in ascending order, and its note; the last one is the end of the curve."""


@dataclass(frozen=True)
class Curves:
    """Curves on two axes; ``named`` are the indexes of the curves whose name is written at the end."""

    title: str
    x_axis: str
    y_axis: str
    curves: Sequence[Curve]
    named: Sequence[int]


Chart = Spans | Cells | Points | Bars | Curves


def chart_content(chart: Chart) -> Mapping[str, Any]:
    """Return the chart, JSON-ready, with the name of its form."""
    found: dict[str, Any] = json_ready({"form": type(chart).__name__.lower()} | vars(chart))
    return found
