"""Both boards in the order of the qrel set, with the perfect run as a line: figure 6 of [SP]."""

from collections.abc import Sequence

from leaderboard.board.standings import PERFECT, BoardRow
from leaderboard.output import Figure, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure


def official_order_figure(board: Sequence[BoardRow], official: str, data: Table) -> Figure:
    """Return a figure with a panel of official and one of preference values, both in the order of official ranks.

    The line in each panel is the value of the perfect run.
    """
    rows = sorted((row for row in board if not row.perfect), key=lambda row: (row.official.rank, row.run))
    perfect = next((row for row in board if row.perfect), None)
    charts = []
    for color, (side, title) in enumerate(
        (("official", f"{official} qrels"), ("leading", "preference qrels"))
    ):
        standings = [getattr(row, side) for row in rows]
        charts.append(
            Spans(
                title[:1].upper() + title[1:],
                data.facts.measure,
                [row.run for row in rows],
                [Series(title, [one.estimate for one in standings])],
                line=None if perfect is None else getattr(perfect, side).value,
                notes=[f"rank {one.rank}" for one in standings],
                first_colour=color,
            )
        )
    caption = (
        f"95% bootstrap intervals over queries. Line: the {PERFECT}, which returns the {official} qrel alone."
    )
    return rows_figure("official_order", f"Both boards in the order by {official}", caption, charts, data)
