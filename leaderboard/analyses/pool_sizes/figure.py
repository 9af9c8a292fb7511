"""A bar chart of pool sizes: all queries of the collection beside the queries of the pool."""

from collections.abc import Sequence
from typing import Any

from leaderboard.analyses.pool_sizes.computation import SizeCounts
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Series, Spans, chart_content

TITLE = "Pool sizes"
Sides = Sequence[tuple[str, SizeCounts]]


def sizes_figure(sides: Sides, facts: Facts, data: Table) -> Figure:
    """Return the figure of pool sizes.

    ``sides`` has (title, counts) for all queries and for the pool's queries. Downloads have a panel of query counts
    for each side. Pages show the shares of both sides in one chart.
    """
    sizes = sorted({size for _, counts in sides for size in counts.queries})

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OKABE_ITO

        panels = canvas.subplots(1, len(sides), squeeze=False)[0]
        for axes, (title, counts), color in zip(panels, sides, OKABE_ITO, strict=False):
            axes.bar(list(counts.queries), list(counts.queries.values()), 0.8, color=color)
            axes.set_title(f"{title}: {counts.total:,}")
            axes.set_xlabel("passages in the pool")
            axes.set_xlim(sizes[0] - 0.8, sizes[-1] + 0.8)
            axes.locator_params(axis="x", integer=True)
            axes.locator_params(axis="y", integer=True)
            axes.grid(visible=False, axis="x")
        panels[0].set_ylabel("queries")

    chart = Spans(
        TITLE,
        "share of queries",
        [f"{size:,}" for size in sizes],
        [Series(title, [(counts.share(size), None, None) for size in sizes]) for title, counts in sides],
        share=True,
        notes=[
            ", ".join(f"{counts.queries.get(size, 0):,} of {title}" for title, counts in sides)
            for size in sizes
        ],
    )
    caption = (
        "Queries by the number of passages in their pool. Downloads show numbers of queries, with a separate scale "
        "in each panel."
    )
    return Figure("sizes", TITLE, caption, facts, draw, data, (chart_content(chart),), 7.0, 3.0)
