"""What keeps two publications of the same judgments from telling more of a worker than either tells alone.

Names are made for one campaign in one publication. Whatever else could match them is coarsened: times to the month,
the order of rows to the order of what they say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

Row = dict[str, Any]


def month_of(moment: datetime | None) -> str:
    """The month in UTC, such as 2026-03; empty when no time is known."""
    return moment.astimezone(UTC).strftime("%Y-%m") if moment else ""


def settled(rows: Iterable[Row], group: Callable[[Row], Any]) -> Iterator[Row]:
    """Rows without the order in which they were made.

    ``rows`` come sorted by ``group``, which must not depend on who made them or when. Rows of one group come in the
    order of their content, names included.
    """
    for _, some in groupby(rows, group):
        yield from sorted(some, key=json.dumps)
