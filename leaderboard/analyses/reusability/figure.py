"""Figures of reusability: the values of each row on one axis, with a reference line."""

from collections.abc import Sequence
from typing import Any

from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Series, Spans, chart_content

MOST_NAMED = 80
Curve = tuple[str, Sequence[float | None]]


def curves_figure(
    key: str,
    axis: str,
    rows: Sequence[str],
    series: Sequence[Curve],
    facts: Facts,
    data: Table,
    *,
    line: float | None = None,
    row_word: str = "",
) -> Figure:
    """Return one curve over the rows for each series; a series can be shorter than the rows."""

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import GRAY, OKABE_ITO

        axes = canvas.subplots()
        for (name, values), color in zip(series, OKABE_ITO, strict=False):
            known = [(place, value) for place, value in enumerate(values) if value is not None]
            axes.plot(
                [place for place, _ in known],
                [value for _, value in known],
                "o-",
                ms=3,
                color=color,
                label=name,
            )
        if line is not None:
            axes.axhline(line, color=GRAY, linestyle="--", linewidth=0.8)
        if len(rows) <= MOST_NAMED:
            axes.set_xticks(range(len(rows)), list(rows), fontsize=5, rotation=90)
        axes.set_xlabel(row_word)
        axes.set_ylabel(axis)
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper right")

    chart = Spans(
        data.title,
        axis,
        list(rows),
        [
            Series(
                name,
                [(values[place] if place < len(values) else None, None, None) for place in range(len(rows))],
            )
            for name, values in series
        ],
        line=line,
    )
    return Figure(key, data.title, data.caption, facts, draw, data, (chart_content(chart),), 7.0, 3.4)
