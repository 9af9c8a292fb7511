"""Tables and analyses as JSON-ready dictionaries: raw numbers, None for missing values."""

import math
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from leaderboard.output.table import Analysis, Row, Table


def table_content(table: Table) -> dict[str, Any]:
    """Return a table as a dictionary: its columns, rows of raw numbers, marks of significance, notes and facts."""
    return {
        "title": table.title,
        "caption": table.caption,
        "columns": [
            {"key": column.key, "label": column.label, "kind": column.kind.value, "group": column.group}
            for column in table.columns
        ],
        "rows": [_row_content(table, row) for row in table.rows],
        "significance": table.significance,
        "notes": list(table.notes),
        "facts": table.facts.as_dict(),
    }


def analysis_content(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as a dictionary: facts, sentences, other results, and its tables by key."""
    return {
        "facts": analysis.facts.as_dict(),
        "sentences": list(analysis.sentences),
        **{name: json_ready(value) for name, value in analysis.content.items()},
        "tables": {table.key: table_content(table) for table in analysis.tables},
    }


def json_ready(value: Any) -> Any:
    """Return a JSON-ready value.

    NaN and infinities become None, tuples and frozensets lists, enums their values, and dataclasses dictionaries.
    """
    match value:
        case None | str() | int():
            return value
        case np.generic() | np.ndarray():
            return json_ready(value.tolist())
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(key): json_ready(one) for key, one in value.items()}
        case list() | tuple():
            return [json_ready(one) for one in value]
        case frozenset():
            return sorted(value)
        case Enum():
            return value.value
    return json_ready(vars(value)) if is_dataclass(value) else value


def _row_content(table: Table, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {column.key: json_ready(row.values.get(column.key)) for column in table.columns}
    if row.significant:
        found["significant"] = [column.key for column in table.columns if column.key in row.significant]
    return found
