"""Figures of all runs by type, and of the best runs of two types against each other."""

from collections.abc import Sequence

from config.plurals import many
from leaderboard.analyses.run_types.computation import Duel, RunType, Values
from leaderboard.output import Figure, Table
from leaderboard.output.chart import Point, Points, Series, Spans
from leaderboard.output.printed_charts import columns_figure, points_figure
from leaderboard.output.table import as_number

#: Number of queries named in the figure. They are those on which the two runs differ most.
NAMED = 6


def types_figure(found: Sequence[RunType], run_tags: Sequence[str], measure: str, data: Table) -> Figure:
    """Plot every run's value, best first, with its type as color and mark ([DL] figure 2)."""
    tags = [str(row.values["run"]) for row in data.rows]
    values = [as_number(row.values["value"]) for row in data.rows]
    series = []
    for each in found:
        members = {run_tags[row] for row in each.rows}
        shown = (value if tag in members else None for tag, value in zip(tags, values, strict=True))
        series.append(Series(each.name, [(value, None, None) for value in shown]))
    chart = Spans("Runs by type", measure, tags, series)
    caption = "Every run, best first; color and mark show its type."
    return columns_figure("types", caption, chart, data, "runs, best first", joined=False)


def best_figure(
    duel: Duel,
    first: Values,
    second: Values,
    qids: Sequence[str],
    names: tuple[str, str],
    key: str,
    data: Table,
) -> Figure:
    """Plot the best run of one type against the best run of another on every query ([DL] figures 3 and 4).

    ``first`` and ``second`` have the values of the two runs by query, and ``names`` the labels of the two axes.
    """
    apart = sorted(range(len(qids)), key=lambda query: -abs(float(first[query] - second[query])))[:NAMED]
    values = zip(qids, first.tolist(), second.tolist(), strict=True)
    chart = Points(
        duel.title,
        names[0],
        names[1],
        [Point(qid, (x, None, None), (y, None, None)) for qid, x, y in values],
        named=apart,
        diagonal=True,
    )
    higher = many(int((first > second).sum()), "query", "queries")
    caption = (
        f"One point per query. Below the line, {duel.first.name} has the higher value. Named: the queries on which "
        f"the two differ most. {duel.first.name} has the higher value on {higher}, "
        f"{duel.second.name} on {int((second > first).sum())}."
    )
    return points_figure(key, caption, chart, data)
