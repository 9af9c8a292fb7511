"""A time series or distribution as coordinates of a small chart: bars or a line, with axes.

Coordinates are in SVG units, y downwards. Colors come from CSS classes, so light and dark mode share the shape.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 360.0
HEIGHT = 150.0
LEFT = 46.0
RIGHT = 350.0
TOP = 10.0
BOTTOM = 122.0
#: The number of bars of a distribution.
BINS = 24


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True)
class Dot:
    """A point of a line and its label."""

    x: float
    y: float
    words: str


@dataclass(frozen=True)
class Tick:
    y: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A chart as the template draws it.

    It has bars or lines with dots, the ticks, and the labels at both ends of the x-axis.
    """

    bars: list[Bar]
    lines: list[str]
    dots: list[Dot]
    ticks: list[Tick]
    reference: float | None
    begin: str
    end: str

    width = WIDTH
    height = HEIGHT
    left = LEFT
    right = RIGHT
    bottom = BOTTOM


def round_top(value: float) -> float:
    """Round up to 1, 2, 2.5 or 5 times a power of ten; return 1 for zero."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value * (1 - 1e-9))


def bars(values: Sequence[float], words: Sequence[str], *, begin: str, end: str) -> Chart:
    """Return counts as bars on an axis from zero to a round number. ``words`` are the labels of the bars."""
    top = round_top(max(values, default=0.0))
    step = (RIGHT - LEFT) / max(1, len(values))
    drawn = [
        Bar(
            round(LEFT + place * step + step * 0.1, 1),
            _y_position(value, top),
            round(step * 0.8, 1),
            round(BOTTOM - _y_position(value, top), 1),
            said,
        )
        for place, (value, said) in enumerate(zip(values, words, strict=True))
    ]
    return Chart(drawn, [], [], _ticks(top), None, begin, end)


def line(
    values: Sequence[float | None],
    words: Sequence[str],
    *,
    begin: str,
    end: str,
    high: float | None = None,
    reference: float | None = None,
    unit: str = "",
) -> Chart:
    """Return values as a line, with a gap at each None. The axis ends at ``high`` or a round number.

    ``reference`` is the value at which a dashed horizontal line is drawn.
    """
    known = [value for value in values if value is not None]
    top = round_top(max(known, default=1.0)) if high is None else high
    step = (RIGHT - LEFT) / max(1, len(values))
    pieces: list[list[str]] = [[]]
    dots = []
    for place, (value, said) in enumerate(zip(values, words, strict=True)):
        if value is None:
            pieces.append([])
            continue
        x, y = round(LEFT + (place + 0.5) * step, 1), _y_position(value, top)
        pieces[-1].append(f"{x},{y}")
        dots.append(Dot(x, y, said))
    at = None if reference is None else _y_position(reference, top)
    lines = [" ".join(piece) for piece in pieces if len(piece) > 1]
    return Chart([], lines, dots, _ticks(top, unit), at, begin, end)


@dataclass(frozen=True)
class Bin:
    """A bin of a distribution: the number of values from ``low`` to below ``high``."""

    low: float
    high: float
    count: int


def distribution(values: Sequence[float]) -> list[Bin]:
    """Divide the values into bins of equal width, up to about the 98th percentile.

    The last bin also includes all higher values.
    """
    if not values:
        return []
    ordered = sorted(values)
    top = round_top(ordered[min(len(ordered) - 1, len(ordered) * 98 // 100)])
    counts = [0] * BINS
    for value in ordered:
        counts[min(BINS - 1, int(value / top * BINS))] += 1
    return [Bin(top * place / BINS, top * (place + 1) / BINS, count) for place, count in enumerate(counts)]


def _ticks(top: float, unit: str = "") -> list[Tick]:
    return [Tick(_y_position(part, top), _tick_label(part) + unit) for part in (0.0, top / 2, top)]


def _y_position(value: float, top: float) -> float:
    return round(BOTTOM - max(0.0, min(1.0, value / top)) * (BOTTOM - TOP), 1)


def _tick_label(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"
