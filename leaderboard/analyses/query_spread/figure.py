"""A box plot of all runs' values on each query, from the highest median to the lowest."""

from typing import Any

import numpy as np

from leaderboard.analyses.query_spread.computation import Spread
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Series, Spans, chart_content

TITLE = "Spread over runs, query by query"
#: The maximum number of queries with a box each. With more queries, downloads show bands, and pages show a selection.
MOST_BOXES = 120
MOST_NAMED = 80


def spread_figure(spread: Spread, qids: tuple[str, ...], measure: str, facts: Facts, data: Table) -> Figure:
    """Plot a box of all runs' values on each query, by descending median.

    ``data`` is the table with the same queries.
    """
    order = spread.order

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        _draw_bands(axes, spread, order) if len(order) > MOST_BOXES else _draw_boxes(axes, spread, order)
        axes.set_xlim(-0.8, len(order) - 0.2)
        axes.set_ylabel(measure)
        axes.grid(visible=False, axis="x")
        if len(order) <= MOST_NAMED:
            axes.set_xticks(range(len(order)), [qids[query] for query in order], fontsize=5, rotation=90)
            axes.set_xlabel("query")
        else:
            axes.set_xlabel("queries, by their median")

    caption = (
        "Queries by the median over runs, with the middle half of the runs as a box. Whiskers reach to the lowest "
        "and the highest run."
    )
    shown = _queries_on_page(order)
    if len(shown) < len(order):
        caption += f" On the page: {len(shown)} of the {len(order):,} queries, evenly spaced."
    chart = chart_content(_spread_chart(spread, shown, qids, measure))
    return Figure("spread", TITLE, caption, facts, draw, data, (chart,), 7.0, 3.6)


def _queries_on_page(order: list[int]) -> list[int]:
    if len(order) <= MOST_BOXES:
        return order
    return [order[place] for place in np.linspace(0, len(order) - 1, MOST_BOXES).round().astype(int)]


def _spread_chart(spread: Spread, shown: list[int], qids: tuple[str, ...], measure: str) -> Spans:
    return Spans(
        TITLE,
        measure,
        [qids[query] for query in shown],
        [
            Series(
                "median and middle half of the runs",
                [
                    (float(spread.median[query]), float(spread.lower[query]), float(spread.upper[query]))
                    for query in shown
                ],
            )
        ],
        notes=[f"{spread.low[query]:.4f} to {spread.high[query]:.4f}" for query in shown],
        reach=[(float(spread.low[query]), float(spread.high[query])) for query in shown],
    )


def _draw_boxes(axes: Any, spread: Spread, order: list[int]) -> None:
    from leaderboard.output.drawing import GRAY, OFFICIAL

    boxes = [
        {
            "med": spread.median[query],
            "q1": spread.lower[query],
            "q3": spread.upper[query],
            "whislo": spread.low[query],
            "whishi": spread.high[query],
        }
        for query in order
    ]
    axes.bxp(
        boxes,
        positions=range(len(order)),
        widths=0.6,
        showfliers=False,
        showcaps=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": "#cfe3f1", "edgecolor": OFFICIAL, "linewidth": 0.5},
        medianprops={"color": "black", "linewidth": 1.0},
        whiskerprops={"color": GRAY, "linewidth": 0.5},
    )


def _draw_bands(axes: Any, spread: Spread, order: list[int]) -> None:
    from leaderboard.output.drawing import OFFICIAL

    places = np.arange(len(order))
    axes.fill_between(places, spread.low[order], spread.high[order], color="#e4eff7", linewidth=0)
    axes.fill_between(places, spread.lower[order], spread.upper[order], color="#9cc5e3", linewidth=0)
    axes.plot(places, spread.median[order], color=OFFICIAL)
