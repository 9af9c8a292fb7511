"""A campaign's progress over time as charts and a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.timesince import timesince

from config.plurals import many
from judging.watching.history import Course, Point
from web.campaigns.progress_chart import Chart, bars, distribution, line


@dataclass(frozen=True)
class CourseFigure:
    """A chart with its name, caption and screen-reader text."""

    key: str
    title: str
    sentence: str
    spoken: str
    chart: Chart


@dataclass(frozen=True)
class CourseFigures:
    """The charts, the points of the table, and the period that each point covers, in words (``width``)."""

    charts: list[CourseFigure]
    points: list[Point]
    width: str


@dataclass(frozen=True)
class _LineChart:
    """A line chart of a share or median over time. ``drawn`` tells whether a course has values to draw."""

    key: str
    title: str
    sentence: str
    value: Callable[[Point], float | None]
    drawn: Callable[[Course], Any] = lambda _: True
    unit: str = "%"
    high: float | None = 100.0
    reference: float | None = None

    def for_grades(self) -> _LineChart:
        """Return the chart with the title and caption for graded campaigns."""
        title, sentence = _WORDS_FOR_GRADES.get(self.key, (self.title, self.sentence))
        return replace(self, title=title, sentence=sentence)


#: Key of a chart → its title and caption in graded campaigns.
_WORDS_FOR_GRADES = {
    "gold": (
        "Test passages passed, %",
        "Share of all answers on test passages, including those of excluded workers. A drop can mean that careless "
        "workers joined or that a test passage is bad.",
    ),
    "agreement": ("Agreement, %", "How often two counted grades of the same passage agree."),
    "times": ("Seconds per passage, median", "Time on screen until the final choice."),
}
_LINE_CHARTS = (
    _LineChart(
        "gold",
        "Gold pairs passed, %",
        "Share of all answers on gold pairs, including those of excluded workers. A drop can mean that careless "
        "workers joined or that a gold pair is bad.",
        lambda point: _as_percent(point.gold_rate),
        lambda course: course.gold,
    ),
    _LineChart(
        "sides",
        "Left preferred, %",
        "Sides are random. A line far from the dashed 50% line can mean that somebody chooses by side.",
        lambda point: _as_percent(point.left_share),
        lambda course: course.left_share is not None,
        reference=50.0,
    ),
    _LineChart(
        "agreement",
        "Agreement, %",
        "How often two counted judgments of the same pair agree.",
        lambda point: _as_percent(point.agreement),
        lambda course: course.twos,
    ),
    _LineChart(
        "times",
        "Seconds per pair, median",
        "Time on screen until the final choice.",
        lambda point: point.seconds,
        lambda course: course.seconds,
        unit=" s",
        high=None,
    ),
)


def course_figures(
    course: Course, now: datetime, *, over: bool, graded: bool = False
) -> CourseFigures | None:
    """Return the charts; None before there is anything to draw. ``graded``: workers grade single passages."""
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
    charts = [_judgments_figure(points, spots, width, ends)]
    for one in _LINE_CHARTS:
        if one.drawn(course):
            charts.append(_line_figure(one.for_grades() if graded else one, points, spots, ends))
    if course.seconds:
        charts.append(_seconds_figure(course, "passage" if graded else "pair"))
    return CourseFigures(charts, points, width)


def _judgments_figure(
    points: list[Point], spots: list[str], width: str, ends: tuple[str, str]
) -> CourseFigure:
    counts = [float(point.judgments) for point in points]
    words = [
        f"{spot}: {many(point.judgments, 'judgment')}" for spot, point in zip(spots, points, strict=True)
    ]
    chart = bars(counts, words, begin=ends[0], end=ends[1])
    sentence = f"One bar per {width}."
    return CourseFigure(
        "judgments", "Judgments that count", sentence, _values_in_words(list(counts), ""), chart
    )


def _line_figure(
    one: _LineChart, points: list[Point], spots: list[str], ends: tuple[str, str]
) -> CourseFigure:
    values = [one.value(point) for point in points]
    words = [
        "" if value is None else f"{spot}: {value:.0f}{one.unit}"
        for spot, value in zip(spots, values, strict=True)
    ]
    chart = line(
        values, words, begin=ends[0], end=ends[1], high=one.high, reference=one.reference, unit=one.unit
    )
    return CourseFigure(one.key, one.title, one.sentence, _values_in_words(values, one.unit), chart)


def _seconds_figure(course: Course, unit: str) -> CourseFigure:
    bins = distribution(course.seconds)
    words = [f"{one.low:.0f} to {one.high:.0f} s: {many(one.count, unit)}" for one in bins[:-1]]
    words.append(f"{bins[-1].low:.0f} s and more: {many(bins[-1].count, unit)}")
    chart = bars(
        [float(one.count) for one in bins], words, begin="0 s", end=f"{bins[-1].high:.0f} s and more"
    )
    return CourseFigure(
        "seconds",
        f"{unit.capitalize()}s by seconds on screen",
        f"From {many(course.timed, 'task')}. A peak near 0 s suggests that workers did not read.",
        f"Half of the {unit}s took less than {course.seconds_per_pair:.0f} seconds.",
        chart,
    )


def width_words(width: timedelta) -> str:
    """Return the period that a point covers, in words: "15 minutes", "3 hours", "day"."""
    minutes = int(width.total_seconds() // 60)
    for size, name in ((7 * 1440, "week"), (1440, "day"), (60, "hour"), (1, "minute")):
        if minutes % size == 0:
            count = minutes // size
            return name if count == 1 else f"{count} {name}s"
    raise AssertionError(width)


def _as_percent(share: float | None) -> float | None:
    return None if share is None else share * 100


def _values_in_words(values: list[float | None] | list[float], unit: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "No values yet."
    return f"From {min(known):,.0f} to {max(known):,.0f}{unit}; last {known[-1]:,.0f}{unit}."
