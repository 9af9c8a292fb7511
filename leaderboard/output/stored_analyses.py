"""Convert an analysis to JSON and back, without its drawings, so that stored results can be shown in every format."""

import math
from collections.abc import Mapping
from typing import Any

from leaderboard.output.content import json_ready
from leaderboard.output.table import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table, Value


def as_stored(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as JSON-ready data. NaN becomes None, and a figure has the key of its data table."""
    figures = [
        vars(figure) | {"draw": None, "data": figure.data and figure.data.key} for figure in analysis.figures
    ]
    shown = analysis.downloads[len(analysis.tables) :]
    stored: dict[str, Any] = json_ready(vars(analysis) | {"figures": figures, "shown": shown})
    return stored


def from_stored(stored: Mapping[str, Any]) -> Analysis:
    """Return the analysis from its stored data. Its figures cannot be drawn, so their files are stored separately."""
    tables = tuple(_restored_table(table) for table in stored["tables"])
    data = {table.key: table for table in (*map(_restored_table, stored["shown"]), *tables)}
    return Analysis(
        facts=_restored_facts(stored["facts"]),
        tables=tables,
        figures=tuple(_restored_figure(figure, data) for figure in stored["figures"]),
        sentences=tuple(stored["sentences"]),
        content=stored["content"],
    )


def _restored_facts(stored: Mapping[str, Any]) -> Facts:
    again = {key: tuple(value) if isinstance(value, list) else value for key, value in stored.items()}
    return Facts(**again | {"further": tuple((name, value) for name, value in stored["further"])})


def _restored_figure(stored: Mapping[str, Any], tables: Mapping[str, Table]) -> Figure:
    def draw(_: Any) -> None:
        raise NotImplementedError(f"the figure {stored['key']} was drawn when it was stored")

    again = {
        "facts": _restored_facts(stored["facts"]),
        "data": tables.get(stored["data"]),
        "charts": tuple(stored["charts"]),
    }
    return Figure(**{**stored, **again, "draw": draw})


def _restored_table(stored: Mapping[str, Any]) -> Table:
    again = {
        "columns": tuple(Column(**{**one, "kind": Kind(one["kind"])}) for one in stored["columns"]),
        "rows": tuple(_restored_row(row) for row in stored["rows"]),
        "facts": _restored_facts(stored["facts"]),
        "notes": tuple(stored["notes"]),
    }
    return Table(**{**stored, **again})


def _restored_row(stored: Mapping[str, Any]) -> Row:
    return Row(
        {key: _restored_value(value) for key, value in stored["values"].items()},
        frozenset(stored["best"]),
        frozenset(stored["significant"]),
        stored["faint"],
    )


def _restored_value(stored: Any) -> Value:
    if not isinstance(stored, dict):
        value: Value = stored
        return value
    parts = (stored["value"], stored["low"], stored["high"])
    return Interval(*(math.nan if part is None else part for part in parts))
