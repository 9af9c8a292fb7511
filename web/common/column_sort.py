from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Row = TypeVar("Row")


def sort_by_column(rows: Sequence[Row], sort: str, columns: Mapping[str, Callable[[Row], Any]]) -> list[Row]:
    """Sort rows by a column, in reverse with a minus before its name. Rows without a value come last either way."""
    value = columns[sort.removeprefix("-")]
    known = [row for row in rows if value(row) is not None]
    known.sort(key=value, reverse=sort.startswith("-"))
    return known + [row for row in rows if value(row) is None]
