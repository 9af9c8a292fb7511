"""Both boards in the official order, with the perfect run as a line: figure 6 of [SP]."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaderboard.board.standings import PERFECT, BoardRow, Standing
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Series, Spans, chart_content

TITLE = "Both boards in the official order"


def official_order_figure(board: Sequence[BoardRow], official: str, facts: Facts, data: Table) -> Figure:
    """Return two panels with the runs in the same order; the dashed line is the value of the perfect run."""
    rows = sorted((row for row in board if not row.perfect), key=lambda row: (row.official.rank, row.run))
    perfect = next((row for row in board if row.perfect), None)
    sides = (("official", f"{official} qrels"), ("leading", "preference qrels"))

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, PREFERENCE, short

        panels = canvas.subplots(1, 2, sharey=True)
        places = np.arange(len(rows))
        for axes, (side, title), color in zip(panels, sides, (OFFICIAL, PREFERENCE), strict=True):
            marks = [_standing_under(row, side) for row in rows]
            axes.hlines(places, [one.low for one in marks], [one.high for one in marks], color=color)
            axes.plot([one.value for one in marks], places, "o", color=color)
            if perfect is not None:
                axes.axvline(
                    _standing_under(perfect, side).value, color="black", linewidth=0.8, linestyle="--"
                )
            axes.set_title(title)
            axes.set_xlabel(facts.measure)
        panels[0].set_yticks(places, [short(row.run) for row in rows])
        panels[0].set_ylim(len(rows) - 0.5, -0.5)

    charts = tuple(
        chart_content(
            Spans(
                title[:1].upper() + title[1:],
                facts.measure,
                [row.run for row in rows],
                [
                    Series(
                        title,
                        [
                            (one.value, one.low, one.high)
                            for one in (_standing_under(row, side) for row in rows)
                        ],
                    )
                ],
                line=None if perfect is None else _standing_under(perfect, side).value,
                notes=[f"rank {_standing_under(row, side).rank}" for row in rows],
                first_colour=color,
            )
        )
        for color, (side, title) in enumerate(sides)
    )
    caption = (
        f"95% bootstrap intervals over queries. Line: the {PERFECT}, which returns the official qrel alone."
    )
    height = max(2.4, 0.9 + 0.17 * len(rows))
    return Figure("official_order", TITLE, caption, facts, draw, data, charts, 7.0, height, beside=True)


def _standing_under(row: BoardRow, side: str) -> Standing:
    standing: Standing = getattr(row, side)
    return standing
