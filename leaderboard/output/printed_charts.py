"""Figures of rows, columns and points for print, drawn from the same content as the charts on pages."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaderboard.output.chart import Points, Spans, chart_content
from leaderboard.output.drawing import GRAY, MARKERS, OFFICIAL, color_of, name_points, short_name
from leaderboard.output.table import Draw, Figure, Table

PANELS_A_ROW = 4
INCHES_A_ROW = 0.17
#: The maximum number of rows, from left to right, for which there is space for their names.
MOST_NAMED = 80
#: Vertical distance between the values of one row if they have intervals, as a share of the distance between rows.
APART = 0.3
#: Space for a legend below a panel's title, in points.
LEGEND_POINTS = 18


def rows_figure(
    key: str, title: str, caption: str, charts: Sequence[Spans], data: Table, mark: Draw | None = None
) -> Figure:
    """Return a figure with a panel for each chart. ``mark`` draws additions that only the print version has."""
    down = -(-len(charts) // PANELS_A_ROW)
    most = max(len(chart.rows) for chart in charts)
    same_rows = all(chart.rows == charts[0].rows for chart in charts)
    beside = len(charts) > 1 and all({*chart.rows} == {*charts[0].rows} for chart in charts)

    def draw(canvas: Any) -> None:
        panels = canvas.subplots(
            down,
            min(PANELS_A_ROW, len(charts)),
            sharey=same_rows,
            squeeze=False,
            gridspec_kw={"wspace": 0.3} if beside and not same_rows else None,
        ).ravel()
        for axes, chart in zip(panels, charts, strict=False):
            _draw_rows(axes, chart)
            title = chart.title if len(charts) > 1 and chart.title != chart.axis else ""
            axes.set_title(title, pad=LEGEND_POINTS if len(chart.series) > 1 else None)
        for axes in panels[len(charts) :]:
            axes.set_axis_off()
        if mark:
            mark(canvas)

    return Figure(
        key,
        title,
        caption,
        data.facts,
        draw,
        data,
        tuple(map(chart_content, charts)),
        height=down * max(2.0, 0.9 + INCHES_A_ROW * most),
        beside=beside,
    )


def _draw_rows(axes: Any, chart: Spans) -> None:
    """Draw the rows of a chart from top to bottom.

    If any value has an interval, the values of a row are drawn below each other. Otherwise they are on one line.
    """
    places = np.arange(len(chart.rows))
    # The conversion to float64 turns None into NaN.
    marks = np.array([series.marks for series in chart.series], dtype=np.float64)
    value, low, high = np.moveaxis(marks.reshape(len(chart.series), -1, 3), 2, 0)
    bounded = np.isfinite(low)
    if len(chart.series) > 1 and not bounded.any():
        known = np.isfinite(value).all(axis=0)
        axes.hlines(places[known], value[:, known].min(axis=0), value[:, known].max(axis=0), color=GRAY)
    for number, series in enumerate(chart.series):
        kind, there = chart.first_colour + number, bounded[number]
        middle = (len(chart.series) - 1) / 2
        at = places + APART * (number - middle) * bounded.any()
        axes.hlines(at[there], low[number][there], high[number][there], color=color_of(kind))
        axes.plot(value[number], at, MARKERS[kind % len(MARKERS)], color=color_of(kind), label=series.name)
    if chart.line is not None:
        axes.axvline(chart.line, color="black", linewidth=0.8, linestyle="--")
    if len(chart.series) > 1:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(chart.series))
    axes.set_xlabel(chart.axis)
    axes.set_yticks(places, [short_name(row) for row in chart.rows])
    axes.set_ylim(max(1, len(chart.rows)) - 0.5, -0.5)
    axes.update_datalim([(end, 0) for end in chart.span], updatey=False)
    axes.autoscale_view(scaley=False)


def columns_figure(
    key: str, caption: str, chart: Spans, data: Table, row_word: str, *, joined: bool = True
) -> Figure:
    """Return a figure with the chart's rows from left to right, with their names if there is space.

    With ``joined``, lines join the values of a series, and the axis of values starts at 0.
    """

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        for number, series in enumerate(chart.series):
            values = np.array([value for value, _, _ in series.marks], dtype=np.float64)
            known = np.flatnonzero(np.isfinite(values))
            mark = MARKERS[number % len(MARKERS)] + "-" * joined
            axes.plot(known, values[known], mark, color=color_of(number), markersize=3, label=series.name)
        if chart.line is not None:
            axes.axhline(chart.line, color=GRAY, linestyle="--", linewidth=0.8)
        if len(chart.rows) <= MOST_NAMED:
            axes.set_xticks(range(len(chart.rows)), list(chart.rows), fontsize=5, rotation=90)
        axes.grid(visible=False, axis="x")
        axes.set_xlabel(row_word)
        axes.set_ylabel(chart.axis)
        if joined:
            axes.set_ylim(bottom=0)
        axes.legend(loc="upper right")

    return Figure(key, chart.title, caption, data.facts, draw, data, (chart_content(chart),), height=3.4)


def points_figure(key: str, caption: str, chart: Points, data: Table) -> Figure:
    """Return a figure of points on two axes of numbers. Named points have another color, unless there are groups."""

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        marks = np.array([[*point.x, *point.y] for point in chart.points], dtype=np.float64).reshape(-1, 6)
        x, low_x, high_x, y, low_y, high_y = marks.T
        named = list(range(len(x)) if chart.named is None else chart.named)
        groups = sorted(set(chart.groups))
        group = np.array([groups.index(one) for one in chart.groups] or [0] * len(x), dtype=np.int64)
        across, up = np.isfinite(low_x), np.isfinite(low_y)
        whisker = {"color": GRAY, "linewidth": 0.5, "alpha": 0.35}
        axes.hlines(y[across], low_x[across], high_x[across], **whisker)
        axes.vlines(x[up], low_y[up], high_y[up], **whisker)
        if chart.diagonal:
            ends = [min(x.min(), y.min()), max(x.max(), y.max())]
            axes.plot(ends, ends, color=GRAY, linewidth=0.8)
        for number, name in enumerate(groups or [""]):
            for zorder, front in ((3, False), (4, True)):
                shown = (group == number) & (np.isin(np.arange(len(x)), named) == front)
                color = color_of(number) if groups else OFFICIAL if front else GRAY
                mark = MARKERS[number % len(MARKERS)]
                label = name if front else None
                axes.plot(x[shown], y[shown], mark, color=color, markersize=3, zorder=zorder, label=label)
        if groups:
            axes.legend()
        axes.update_datalim(list(zip(chart.x_span, chart.y_span, strict=False)))
        axes.autoscale_view()
        axes.set_xlabel(chart.x_axis)
        axes.set_ylabel(chart.y_axis)
        names = [(chart.points[place].name, x[place], y[place]) for place in named]
        name_points(canvas, axes, names, list(zip(x.tolist(), y.tolist(), strict=True)))

    return Figure(
        key, chart.title, caption, data.facts, draw, data, (chart_content(chart),), width=5.5, height=4.5
    )
