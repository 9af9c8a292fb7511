"""Team names beside runs in the tables and charts of an analysis."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from leaderboard.output.right_to_left import isolate_name
from leaderboard.output.table import Analysis, Column, Figure, Kind, Row, Table

Teams = Mapping[str, str]
#: Key of a column that can contain runs → key and label of the column with their teams.
TEAM_COLUMNS = {
    "run": ("team", "team"),
    "best_run": ("best_run_team", "team"),
    "first_run": ("first_run_team", "its team"),
    "second_run": ("second_run_team", "its team"),
    "first": ("first_team", "team"),
    "second": ("second_team", "team"),
    "a": ("a_team", "team of A"),
    "b": ("b_team", "team of B"),
}
#: Keys of columns in which a table already has the teams.
OWN = {"team", "group"}


def with_teams(analysis: Analysis, teams: Teams) -> Analysis:
    """Return the analysis with the team of each run. ``teams`` maps run tag → team, for teams that readers can see.

    Tables get a column of teams beside each column of runs. Charts on pages show the team in a run's note, and
    figures for print show it after the run's name.
    """
    known = {tag: team for tag, team in teams.items() if team}
    if not known:
        return analysis
    runs = frozenset(teams)
    return replace(
        analysis,
        tables=tuple(_table_with_teams(table, known, runs) for table in analysis.tables),
        figures=tuple(_figure_with_teams(figure, known, runs) for figure in analysis.figures),
    )


def run_and_team(run_tag: str, team: str) -> str:
    """Return a run's tag followed by its team in parentheses, if it has one, for axes and sentences."""
    return f"{isolate_name(run_tag)} ({isolate_name(team)})" if team else run_tag


def _table_with_teams(table: Table, teams: Teams, runs: frozenset[str]) -> Table:
    if OWN.intersection(column.key for column in table.columns):
        return table
    found = [column for column in table.columns if _holds_runs(column, table.rows, teams, runs)]
    columns: list[Column] = []
    for column in table.columns:
        columns.append(column)
        if column in found:
            key, label = TEAM_COLUMNS[column.key]
            columns.append(Column(key, label, group=column.group))
    return replace(
        table,
        columns=tuple(columns),
        rows=tuple(
            replace(row, values={**row.values, **_team_cells(row, found, teams)}) for row in table.rows
        ),
    )


def _holds_runs(column: Column, rows: tuple[Row, ...], teams: Teams, runs: frozenset[str]) -> bool:
    """Return whether the column contains runs, at least one with a team. Faint rows (the perfect run) are ignored."""
    if column.kind is not Kind.TEXT or column.key not in TEAM_COLUMNS:
        return False
    cells = [row.values.get(column.key) for row in rows if not row.faint]
    return any(cell in teams for cell in cells) and (
        column.key not in ("first", "second") or all(cell in runs for cell in cells)
    )


def _team_cells(row: Row, columns: list[Column], teams: Teams) -> dict[str, str | None]:
    return {TEAM_COLUMNS[one.key][0]: teams.get(str(row.values.get(one.key))) for one in columns}


def _figure_with_teams(figure: Figure, teams: Teams, runs: frozenset[str]) -> Figure:
    data = figure.data and _table_with_teams(figure.data, teams, runs)

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import draw_with_teams

        draw_with_teams(figure, canvas, teams)

    charts = tuple(_chart_with_teams(chart, teams) for chart in figure.charts)
    return replace(figure, data=data, charts=charts, draw=draw)


def _chart_with_teams(chart: Mapping[str, Any], teams: Teams) -> Mapping[str, Any]:
    """Return a chart's content with teams in the notes of runs, and in the row names for print (``printed``)."""
    if chart["form"] == "points":
        points = [one | {"note": _noted(teams.get(one["name"]), one["note"])} for one in chart["points"]]
        return {**chart, "points": points}
    rows = chart.get("rows", ())  # charts of curves have no rows: they show topics, not runs
    if not any(row in teams for row in rows):
        return chart
    notes = chart["notes"] or [""] * len(rows)
    return {
        **chart,
        "notes": [_noted(teams.get(row), note) for row, note in zip(rows, notes, strict=True)],
        "printed": [run_and_team(row, teams.get(row, "")) for row in rows],
    }


def _noted(team: str | None, note: str) -> str:
    return ", ".join(filter(None, (team, note)))
