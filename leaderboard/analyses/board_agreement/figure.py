"""Both boards in the order of the qrel set, with the perfect run as a line: figure 6 of [SP]."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaderboard.board.standings import PERFECT, BoardRow
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Series, Spans, chart_content


def official_order_figure(board: Sequence[BoardRow], official: str, facts: Facts, data: Table) -> Figure:
    """Return two panels with the runs in the same order; the dashed line is the value of the perfect run."""
    rows = sorted((row for row in board if not row.perfect), key=lambda row: (row.official.rank, row.run))
    perfect = next((row for row in board if row.perfect), None)
    columns = [
        (
            title,
            [getattr(row, side) for row in rows],
            None if perfect is None else getattr(perfect, side).value,
        )
        for side, title in (("official", f"{official} qrels"), ("leading", "preference qrels"))
    ]

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, PREFERENCE, short_name

        panels = canvas.subplots(1, 2, sharey=True)
        places = np.arange(len(rows))
        colors = (OFFICIAL, PREFERENCE)
        for axes, (title, standings, line), color in zip(panels, columns, colors, strict=True):
            axes.hlines(places, [one.low for one in standings], [one.high for one in standings], color=color)
            axes.plot([one.value for one in standings], places, "o", color=color)
            if line is not None:
                axes.axvline(line, color="black", linewidth=0.8, linestyle="--")
            axes.set_title(title)
            axes.set_xlabel(facts.measure)
        panels[0].set_yticks(places, [short_name(row.run) for row in rows])
        panels[0].set_ylim(len(rows) - 0.5, -0.5)

    charts = tuple(
        chart_content(
            Spans(
                title[:1].upper() + title[1:],
                facts.measure,
                [row.run for row in rows],
                [Series(title, [one.estimate for one in standings])],
                line=line,
                notes=[f"rank {one.rank}" for one in standings],
                first_colour=color,
            )
        )
        for color, (title, standings, line) in enumerate(columns)
    )
    caption = (
        f"95% bootstrap intervals over queries. Line: the {PERFECT}, which returns the {official} qrel alone."
    )
    height = max(2.4, 0.9 + 0.17 * len(rows))
    title = f"Both boards in the order by {official}"
    return Figure("official_order", title, caption, facts, draw, data, charts, 7.0, height, beside=True)
