"""The choices in a leaderboard's address: version, labels, measure, filters, columns and order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from config.row_keys import row_key
from leaderboard.scoring.measure_names import is_measure, parse_measure
from web.boards.board_lines import SORTS
from web.boards.filters import USUAL_COLUMNS, Filters, chosen_columns

#: The ``version`` in an address that selects the official labels alone.
LABELS_ALONE = "none"


@dataclass(frozen=True)
class Wish:
    """The choices in the address. Invalid choices are ignored; unknown versions, labels and measures are refused."""

    version: int | None = None
    labels_alone: bool = False
    official: str | None = None
    sort: str = "-preference"
    page: str = "1"
    since: int | None = None
    filters: Filters = field(default_factory=Filters)
    columns: Sequence[str] = tuple(USUAL_COLUMNS)
    measure: str = ""
    """Empty for the collection's default measure."""

    @classmethod
    def of(cls, parameters: Any) -> Wish:
        """Parse a query string."""
        number = parameters.get("version", "")
        sort = parameters.get("sort", "")
        return cls(
            version=_version_number("" if number == LABELS_ALONE else number),
            labels_alone=number == LABELS_ALONE,
            official=parameters.get("official") or None,
            sort=sort if sort.removeprefix("-") in (*SORTS, "since") else "-preference",
            page=parameters.get("page", "1"),
            since=_version_number(parameters.get("since", "")),
            filters=Filters.of(parameters),
            columns=chosen_columns(parameters),
            measure=_measure_name(parameters.get("measure", "").strip()[:100]),
        )


def _measure_name(name: str) -> str:
    """Return the measure's name in ir_measures; an unknown name is returned as typed, and refused later."""
    return parse_measure(name).name if is_measure(name) else name


def _version_number(number: str) -> int | None:
    """Return the requested version number; None requests the latest version.

    A text that is not a number matches no version.
    """
    return row_key(number) if number else None
