from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Row = TypeVar("Row")


def sort_by_column(rows: Sequence[Row], sort: str, columns: Mapping[str, Callable[[Row], Any]]) -> list[Row]:
    """Sort rows by a column, or in reverse if the name in ``sort`` begins with a minus.

    Rows without a value always come last.
    """
    value = columns[sort.removeprefix("-")]
    known = [row for row in rows if value(row) is not None]
    known.sort(key=value, reverse=sort.startswith("-"))
    return known + [row for row in rows if value(row) is None]
