"""A reader's choice of leaderboard rows and columns.

Filters look at runs as they are shown to the reader (``web.common.visibility.as_shown``), never at stored fields. So
no filter and no count reveals whose run is under embargo.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pooling.models import Run
from pooling.rules.run_details import BY_NAME, Detail, value_in_words

#: Run details by which a leaderboard can be filtered.
TYPES = ("neural", "subtask", "stage", "family")
#: Columns that are shown by default → their names in the list of columns.
USUAL_COLUMNS = {
    "official": "values under the qrels",
    "shift": "rank under the qrels, and move",
    "since": "moves since an earlier version",
    "answered": "answered queries",
    "judged": "judged tops",
}
HARMLESS = "harmless"
DETAIL_COLUMNS = {
    HARMLESS: "do-no-harm rank (search lengths)",
    "team": "team",
    "submitted": "day of submission",
} | {name: BY_NAME[name].label.lower() for name in (*TYPES, "dense", "latency", "cost")}
COLUMNS = USUAL_COLUMNS | DETAIL_COLUMNS
LONGEST = 200


@dataclass(frozen=True)
class Filters:
    """Conditions that a shown run must meet; an empty choice excludes nothing."""

    text: str = ""
    """Part of the run tag."""
    team: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    """Run detail → the value that it must have."""
    since: date | None = None
    until: date | None = None
    """The first and last day of submission that match."""

    @classmethod
    def of(cls, parameters: Any) -> Filters:
        """Parse a query string. Invalid dates are ignored."""
        said = {name: parameters.get(name, "").strip()[:LONGEST] for name in ("q", "team", *TYPES)}
        return cls(
            text=said["q"],
            team=said["team"],
            types={name: said[name] for name in TYPES if said[name]},
            since=_parsed_day(parameters.get("from", "")),
            until=_parsed_day(parameters.get("until", "")),
        )

    @property
    def parameters(self) -> dict[str, str]:
        """The active filters as parameters of an address."""
        days = {"from": self.since, "until": self.until}
        said = {"q": self.text, "team": self.team, **self.types}
        said |= {name: day.isoformat() for name, day in days.items() if day}
        return {name: value for name, value in said.items() if value}

    @property
    def other_filters(self) -> int:
        """The number of active filters besides the run tag."""
        return len(self.types) + sum(map(bool, (self.team, self.since, self.until)))

    def __bool__(self) -> bool:
        return bool(self.text or self.other_filters)

    def fits(self, run_tag: str, run: Run | None) -> bool:
        """Return whether a run matches the filters. ``run`` is as this person sees it; None for the perfect run."""
        if self.text.casefold() not in run_tag.casefold():
            return False
        if run is None or not self.other_filters:
            return not self.other_filters
        day = run.submitted_on
        return (
            (not self.team or run.team == self.team)
            and all(str(run.details.get(name, "")) == value for name, value in self.types.items())
            and (not self.since or (day is not None and day >= self.since))
            and (not self.until or (day is not None and day <= self.until))
        )


@dataclass(frozen=True)
class Offer:
    """A filter and the values that it offers, which are those of the shown runs."""

    name: str
    label: str
    values: list[str]
    chosen: str


def offers(runs: Iterable[Run], filters: Filters) -> list[Offer]:
    """Return the filters with at least two values among these runs, and the filters in use."""
    shown = list(runs)
    found = [Offer("team", "Team", _distinct_values(run.team for run in shown), filters.team)]
    found += [
        Offer(
            name,
            BY_NAME[name].label,
            _distinct_values(str(run.details.get(name, "")) for run in shown),
            filters.types.get(name, ""),
        )
        for name in TYPES
    ]
    return [one for one in found if len(one.values) > 1 or one.chosen]


def chosen_columns(parameters: Any) -> list[str]:
    """Return the columns to show, in the default order; the default columns if none are chosen."""
    asked = parameters.getlist("column") if hasattr(parameters, "getlist") else []
    return [name for name in COLUMNS if name in asked] or list(USUAL_COLUMNS)


def details_in(columns: Sequence[str]) -> list[str]:
    """Return the columns among these that show a run detail or the do-no-harm rank."""
    return [name for name in columns if name in DETAIL_COLUMNS]


def detail_of(run: Run | None, column: str, places: Mapping[str, int]) -> str:
    """Return the text of a column for a run as shown, or an empty string.

    ``places``: run tag → do-no-harm rank.
    """
    if run is None:
        return ""
    if column == HARMLESS:
        return str(places.get(run.run_tag, ""))
    if column == "team":
        return run.team
    if column == "submitted":
        return run.submitted_on.isoformat() if run.submitted_on else ""
    known: Detail = BY_NAME[column]
    return value_in_words(known, run.details[column]) if column in run.details else ""


def _distinct_values(values: Iterable[str]) -> list[str]:
    return sorted({value for value in values if value}, key=str.casefold)


def _parsed_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None
