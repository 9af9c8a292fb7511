"""The names and numbers of a figure, without colors, for pages that draw charts in the browser.

The page has the same numbers in a table, and ``drawing`` draws the figure for print. Missing values are None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.output.content import json_ready
from leaderboard.output.table import Estimate


@dataclass(frozen=True)
class Series:
    """A named series with a value and its bounds (``marks``) for every row of a chart."""

    name: str
    marks: Sequence[Estimate]


@dataclass(frozen=True)
class Spans:
    """A chart of rows from top to bottom, each with a value (and its interval) of every series on one axis.

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
    """A note for each row, or empty."""
    first_colour: int = 0
    """The index of the first series' color, from 0."""
    reach: Sequence[tuple[float, float]] = ()
    """The lowest and the highest value of every row. If set, intervals are drawn as boxes, with whiskers to these
    values."""
    span: Sequence[float] = ()
    """The lowest and the highest value that the axis must cover in addition to the rows' values, or empty."""


@dataclass(frozen=True)
class Cells:
    """A grid of shares, shaded from ``low`` to ``high``; if ``diverging``, the color scale is centered at 0.5.

    ``cells`` has (row, column, share) for each cell that has a share. ``marked`` has (row, column) of significant
    cells.
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
    """A note for each row, or empty."""


@dataclass(frozen=True)
class Point:
    """A named point, such as a run or a query. ``x`` is a number with bounds, or a date such as 2021-08-31."""

    name: str
    x: Estimate | str
    y: Estimate
    note: str = ""


@dataclass(frozen=True)
class Points:
    """A chart of points on two axes.

    ``steps`` has the indexes of the points that a step line joins. ``named`` has the indexes of the points labeled
    with their names, the most important first; None for all.
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
    """The group of every point, shown by color and shape, or empty."""
    diagonal: bool = False
    """Whether to draw a line where both values are equal."""
    x_span: Sequence[float] = ()
    """The lowest and the highest value that the axis must cover in addition to the points' values, or empty."""
    y_span: Sequence[float] = ()


@dataclass(frozen=True)
class Part:
    """One part of every bar: its name, and its share of each row's bar, from 0 to 1."""

    name: str
    shares: Sequence[float]


@dataclass(frozen=True)
class Bars:
    """A chart of one bar per row, divided into ``parts``. ``beside`` is another share, shown below each bar."""

    title: str
    axis: str
    rows: Sequence[str]
    parts: Sequence[Part]
    beside: Part
    notes: Sequence[str] = ()
    """A note for each row, or empty."""


@dataclass(frozen=True)
class Curve:
    """A line from (0, 0) through ``values``, one for each x from 1, with marks and notes at some of the values."""

    name: str
    values: Sequence[int]
    marks: Sequence[tuple[int, str]]
    """The x and the note of each mark, by ascending x. The last mark is at the end of the curve."""


@dataclass(frozen=True)
class Curves:
    """A chart of curves on two axes.

    ``named`` has the indexes of the curves that are labeled with their names at the end.
    """

    title: str
    x_axis: str
    y_axis: str
    curves: Sequence[Curve]
    named: Sequence[int]


Chart = Spans | Cells | Points | Bars | Curves


def chart_content(chart: Chart) -> Mapping[str, Any]:
    """Return the chart as JSON-ready data, with its type under ``form``."""
    found: dict[str, Any] = json_ready({"form": type(chart).__name__.lower()} | vars(chart))
    return found
