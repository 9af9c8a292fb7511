"""Values of runs by type, and the best of two types against each other."""

from collections.abc import Sequence
from typing import Any

from config.plurals import many
from leaderboard.analyses.run_types.computation import Duel, RunType, Values
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Point, Points, Series, Spans, chart_content
from leaderboard.output.printed_charts import points_figure

#: Number of queries named in the figure: the queries on which the two runs differ most.
NAMED = 6
#: With more runs than this, the printed figure leaves out their names.
MOST_NAMED = 60


def types_figure(
    found: Sequence[RunType], run_tags: Sequence[str], measure: str, facts: Facts, data: Table
) -> Figure:
    """Plot every run's value, best first, with its type as color and mark ([DL] figure 2)."""
    tags = [str(row.values["run"]) for row in data.rows]
    values = {str(row.values["run"]): row.values["value"] for row in data.rows}
    of_type = {each.name: {run_tags[row] for row in each.rows} for each in found}

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import MARKERS

        axes = canvas.subplots()
        for place, (name, members) in enumerate(of_type.items()):
            at = [rank for rank, tag in enumerate(tags) if tag in members]
            heights = [values[tags[rank]] for rank in at]
            axes.plot(at, heights, MARKERS[place % len(MARKERS)], color=f"C{place}", markersize=4, label=name)
        axes.set_ylabel(measure)
        axes.grid(visible=False, axis="x")
        if len(tags) <= MOST_NAMED:
            axes.set_xticks(range(len(tags)), tags, rotation=90, fontsize=5)
        axes.set_xlabel("runs, best first")
        axes.legend()

    series = [
        Series(name, [(values[tag] if tag in members else None, None, None) for tag in tags])  # type: ignore[misc]
        for name, members in of_type.items()
    ]
    chart = chart_content(Spans("Runs by type", measure, tags, series))
    caption = "Every run, best first; color and mark show its type."
    return Figure("types", "Runs by type", caption, facts, draw, data, (chart,), 7.0, 3.4)


def best_figure(
    duel: Duel,
    first: Values,
    second: Values,
    qids: Sequence[str],
    names: tuple[str, str],
    key: str,
    data: Table,
) -> Figure:
    """Plot the best of one type against the best of another on every query ([DL] figures 3 and 4).

    ``first`` and ``second`` have the values of both runs by query, ``names`` the labels of both axes.
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
