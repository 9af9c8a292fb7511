"""Protection against combining two publications of the same judgments to learn more about a worker.

Pseudonyms are valid for one campaign in one publication only. Other data that could link two pseudonyms is coarsened:
times are cut to the month, and rows are sorted by their content.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

Row = dict[str, Any]


def month_of(moment: datetime | None) -> str:
    """Return the month of this time in UTC, such as ``2026-03``, or an empty string if the time is unknown."""
    return moment.astimezone(UTC).strftime("%Y-%m") if moment else ""


def without_time_order(rows: Iterable[Row], group: Callable[[Row], Any]) -> Iterator[Row]:
    """Yield the rows in an order that does not reveal when they were made.

    ``group`` returns a row's sort key, which must not depend on who made the row or when. ``rows`` must be sorted by
    it. Rows with equal keys are sorted by their content, pseudonyms included.
    """
    for _, some in groupby(rows, group):
        yield from sorted(some, key=json.dumps)
