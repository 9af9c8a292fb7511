"""The smallest detectable difference plotted against the number of queries."""

from collections.abc import Sequence
from typing import Any

from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Series, Spans, chart_content

TITLE = "Detectable difference by number of queries"
Curve = Sequence[tuple[int, float, float, float]]
"""Points (number of queries, smallest difference for the lower quartile, median and upper quartile of pairs)."""


def power_figure(curve: Curve, queries: int, measure: str, facts: Facts, data: Table) -> Figure:
    """Plot the curve of detectable differences, and mark the board's number of queries (``queries``)."""
    axis = f"smallest difference in {measure}"

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import GRAY, OFFICIAL

        axes = canvas.subplots()
        counts, lower, median, upper = zip(*curve, strict=True)
        axes.fill_between(
            counts, lower, upper, color="#cfe3f1", linewidth=0, label="middle half of the pairs"
        )
        axes.plot(counts, median, "o-", color=OFFICIAL, label="median pair")
        axes.axvline(
            queries, color=GRAY, linewidth=0.8, linestyle="--", label=f"this board: {queries:,} queries"
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        _write_ticks_as_numbers(axes.xaxis, (1,), "{x:,.0f}")
        _write_ticks_as_numbers(axes.yaxis, (1, 2, 5), "{x:g}")
        axes.set_xlabel("queries")
        axes.set_ylabel(axis)
        axes.legend(loc="upper right")

    chart = Spans(
        TITLE,
        axis,
        [f"{count:,} queries" for count, *_ in curve],
        [
            Series(
                "median pair, and the middle half of the pairs",
                [(median, lower, upper) for _, lower, median, upper in curve],
            )
        ],
        notes=["this board" if count == queries else "" for count, *_ in curve],
    )
    caption = f"{data.caption} In the downloads, both axes are logarithmic."
    return Figure("detectable", TITLE, caption, facts, draw, data, (chart_content(chart),), 5.5, 3.6)


def _write_ticks_as_numbers(axis: Any, steps: tuple[int, ...], form: str) -> None:
    """Write the ticks of a logarithmic axis as numbers, because figures cannot show powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(form)
    axis.set_minor_formatter(NullFormatter())
