"""Tables as CSV: raw numbers, one line per row, with the facts repeated on each line.

A text cell that a spreadsheet would read as a formula gets a leading apostrophe.
"""

import csv
import io
import math

import numpy as np

from config.spreadsheets import as_text
from leaderboard.output.table import Interval, Kind, Table, Value


def csv_table(table: Table) -> str:
    """Return a table as CSV. Intervals have three columns: ``x``, ``x_low``, ``x_high``. Missing values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    marked = any(row.significant for row in table.rows)
    spread = _with_bounds(table)
    heads = [name for column in table.columns for name in _column_heads(column.key, column.key in spread)]
    named = _fact_columns(table, heads)
    writer.writerow([*heads, *(["significant"] if marked else []), *named])
    for row in table.rows:
        cells = [
            cell
            for column in table.columns
            for cell in _csv_cells(row.values.get(column.key), column.key in spread)
        ]
        keys = [column.key for column in table.columns if column.key in row.significant]
        writer.writerow([*cells, *([" ".join(keys)] if marked else []), *map(as_text, named.values())])
    return text.getvalue()


def _fact_columns(table: Table, taken: list[str]) -> dict[str, str]:
    return {
        (name if name not in taken else f"of_{name}").replace(" ", "_"): _fact_text(value)
        for name, value in table.facts.as_dict().items()
        if name != "runs"
    }


def _fact_text(value: object) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _with_bounds(table: Table) -> frozenset[str]:
    """Return the keys of the columns that contain intervals, by the kind of column or by its values."""
    return frozenset(
        column.key
        for column in table.columns
        if column.kind in (Kind.INTERVAL, Kind.SHARE_INTERVAL)
        or any(isinstance(row.values.get(column.key), Interval) for row in table.rows)
    )


def _column_heads(key: str, with_bounds: bool) -> list[str]:
    return [key, f"{key}_low", f"{key}_high"] if with_bounds else [key]


def _csv_cells(value: Value, with_bounds: bool) -> list[str]:
    if not with_bounds:
        return [_raw_text(value)]
    parts = (value.value, value.low, value.high) if isinstance(value, Interval) else (value, None, None)
    return [_raw_text(part) for part in parts]


def _raw_text(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return (
        as_text(value)
        if isinstance(value, str)
        else repr(value.item() if isinstance(value, np.generic) else value)
    )
