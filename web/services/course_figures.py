"""A campaign's course as charts, and the same figures as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.timesince import timesince

from config.plurals import many
from judging.services.course import Course, Point
from web.course_chart import Chart, bars, distribution, line


@dataclass(frozen=True)
class CourseFigure:
    """A chart with its name, the sentence under it, and what a screen reader says of it."""

    key: str
    title: str
    sentence: str
    spoken: str
    chart: Chart


@dataclass(frozen=True)
class CourseFigures:
    """All charts over time, that of times, the points for the table, and the width of a point in words."""

    charts: list[CourseFigure]
    points: list[Point]
    width: str


@dataclass(frozen=True)
class _Line:
    """A share or a median over time; drawn when there is something to draw of it."""

    key: str
    title: str
    sentence: str
    value: Callable[[Point], float | None]
    drawn: Callable[[Course], Any] = lambda _: True
    unit: str = " %"
    high: float | None = 100.0
    reference: float | None = None


_LINES = (
    _Line(
        "gold",
        "Test pairs passed, %",
        "Of all answers on test pairs, by excluded workers, too. A fall says that careless workers came, "
        "or that a test pair is bad.",
        lambda point: _percent(point.gold_rate),
        lambda course: course.gold,
    ),
    _Line(
        "sides",
        "Left preferred, %",
        "Sides are drawn by lot: far from the dashed half, somebody chooses by side.",
        lambda point: _percent(point.left_share),
        reference=50.0,
    ),
    _Line(
        "agreement",
        "Agreement, %",
        "Of every two counted judgments of the same pair.",
        lambda point: _percent(point.agreement),
        lambda course: course.twos,
    ),
    _Line(
        "times",
        "Seconds for a pair, median",
        "How long a pair was on screen until it was chosen for good.",
        lambda point: point.seconds,
        lambda course: course.seconds,
        unit=" s",
        high=None,
    ),
)


def figures_of(course: Course, now: datetime, *, over: bool) -> CourseFigures | None:
    """The charts; None before there is anything to draw."""
    points = course.points
    if not points or not (course.counted or course.gold):
        return None
    width = width_words(course.width)
    last = points[-1].at + course.width
    ends = (
        f"{timesince(points[0].at, now, depth=1)} ago",
        f"{timesince(last, now, depth=1)} ago" if over or now - last > course.width else "now",
    )
    spots = [f"{point.at:%Y-%m-%d %H:%M} UTC" for point in points]
    charts = [_counts(points, spots, width, ends)]
    charts += [_over_time(one, points, spots, ends) for one in _LINES if one.drawn(course)]
    if course.seconds:
        charts.append(_times(course))
    return CourseFigures(charts, points, width)


def _counts(points: list[Point], spots: list[str], width: str, ends: tuple[str, str]) -> CourseFigure:
    counts = [float(point.judgments) for point in points]
    words = [f"{spot}: {point.judgments:,} judgments" for spot, point in zip(spots, points, strict=True)]
    chart = bars(counts, words, begin=ends[0], end=ends[1])
    sentence = f"A bar for every {width}."
    return CourseFigure("judgments", "Judgments that count", sentence, _spoken(list(counts), ""), chart)


def _over_time(one: _Line, points: list[Point], spots: list[str], ends: tuple[str, str]) -> CourseFigure:
    values = [one.value(point) for point in points]
    words = [
        "" if value is None else f"{spot}: {value:.0f}{one.unit}"
        for spot, value in zip(spots, values, strict=True)
    ]
    chart = line(
        values, words, begin=ends[0], end=ends[1], high=one.high, reference=one.reference, unit=one.unit
    )
    return CourseFigure(one.key, one.title, one.sentence, _spoken(values, one.unit), chart)


def _times(course: Course) -> CourseFigure:
    """How many pairs took how long."""
    bins = distribution(course.seconds)
    words = [f"{one.low:.0f} to {one.high:.0f} s: {many(one.count, 'pair')}" for one in bins[:-1]]
    words.append(f"{bins[-1].low:.0f} s and more: {bins[-1].count:,} pairs")
    chart = bars(
        [float(one.count) for one in bins], words, begin="0 s", end=f"{bins[-1].high:.0f} s and more"
    )
    return CourseFigure(
        "seconds",
        "Pairs by seconds on screen",
        f"From {course.timed:,} tasks. A heap near 0 s is work that nobody read.",
        f"Half of the pairs took less than {course.seconds_per_pair:.0f} seconds.",
        chart,
    )


def width_words(width: timedelta) -> str:
    """The width of a point: "15 minutes", "3 hours", "day"."""
    minutes = int(width.total_seconds() // 60)
    for size, name in ((7 * 1440, "week"), (1440, "day"), (60, "hour"), (1, "minute")):
        if minutes % size == 0:
            count = minutes // size
            return name if count == 1 else f"{count} {name}s"
    raise AssertionError(width)


def _percent(share: float | None) -> float | None:
    return None if share is None else share * 100


def _spoken(values: list[float | None] | list[float], unit: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "There are no values yet."
    return f"From {min(known):,.0f} to {max(known):,.0f}{unit}; last {known[-1]:,.0f}{unit}."
