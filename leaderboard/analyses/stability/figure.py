"""The figure of rank distributions: runs from top to bottom, ranks from left to right; darker is more frequent."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaderboard.analyses.stability.computation import Stability
from leaderboard.output import Facts, Figure, Interval, Kind, Table
from leaderboard.output.chart import Cells, chart_content
from leaderboard.output.drawing import short_name, square_root_shades
from leaderboard.output.numbers import number_text

PANELS_A_ROW = 2
INCHES_A_RUN = 0.13
LABELED = 100


def rank_figure(results: Sequence[tuple[str, Stability]], facts: Facts, caption: str, data: Table) -> Figure:
    """Return a figure with a panel for each combination, in which runs are in the order of its board."""
    rows = -(-len(results) // PANELS_A_ROW)
    runs = len(results[0][1].run_tags)

    def draw(canvas: Any) -> None:
        panels = canvas.subplots(rows, min(PANELS_A_ROW, len(results)), squeeze=False).ravel()
        image = None
        for panel, (name, result) in zip(panels, results, strict=False):
            image = _draw_rank_panel(panel, name, result)
        for panel in panels[len(results) :]:
            panel.set_axis_off()
        bar = canvas.colorbar(
            image, ax=list(panels), shrink=min(1.0, 2.0 / (rows * _panel_height(runs))), aspect=15
        )
        bar.set_label("share of resamples (%)")
        bar.outline.set_visible(False)

    return Figure(
        "ranks",
        "Rank distributions",
        f"{caption} Dots: expected ranks.",
        facts,
        draw,
        data=data,
        charts=tuple(chart_content(_rank_chart(name, result)) for name, result in results),
        height=rows * _panel_height(runs),
    )


def _rank_chart(name: str, result: Stability) -> Cells:
    order = result.order()
    low, high = result.bounds()
    return Cells(
        f"Rank distributions: {name}",
        rows=[result.run_tags[run] for run in order],
        columns=[str(rank + 1) for rank in range(len(order))],
        cells=[
            (row, int(rank), float(result.shares[run, rank]))
            for row, run in enumerate(order)
            for rank in np.flatnonzero(result.shares[run])
        ],
        across="rank",
        notes=[
            f"expected rank {number_text(Interval(result.expected[run], int(low[run]), int(high[run])), Kind.NUMBER)}"
            for run in order
        ],
    )


def _panel_height(runs: int) -> float:
    return max(2.0, 0.8 + INCHES_A_RUN * runs)


def _draw_rank_panel(panel: Any, name: str, result: Stability) -> Any:
    order = result.order()
    runs = len(order)
    shares = 100 * result.shares[order]
    edges = (0.5, runs + 0.5)
    image = panel.imshow(
        np.ma.masked_equal(shares, 0),
        cmap="Blues",
        # With many runs, shares are small, so shades follow the square root of the share, as on the page.
        norm=square_root_shades(100),
        aspect="auto",
        interpolation="none",
        extent=(*edges, *reversed(edges)),
    )
    panel.plot(
        result.expected[order], range(1, runs + 1), ".", color="#d55e00", markersize=3, markeredgewidth=0
    )
    panel.set_title(name, loc="left")
    panel.set_xlabel("rank")
    panel.set_xlim(*edges)
    panel.locator_params(axis="x", integer=True)
    if runs <= LABELED:
        tags = [short_name(result.run_tags[i]) for i in order]
        panel.set_yticks(range(1, runs + 1), tags, fontsize=6 if runs <= 60 else 5)
    panel.grid(visible=False)
    panel.tick_params(axis="y", length=0)
    return image
