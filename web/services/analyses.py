"""An analysis for a page: its tables as cells, and its files to download."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from leaderboard.output import Analysis, Figure, Table
from leaderboard.output.commas import csv_table
from leaderboard.output.content import analysis_content
from leaderboard.output.drawing import FORMATS, MEDIA_TYPES, drawn
from leaderboard.output.latex import latex_table
from leaderboard.output.markdown import markdown_table
from leaderboard.output.numbers import head, is_number, shown
from pooling.models import Collection, Run

Thing = TypeVar("Thing", Table, Figure)
TEXT_FORMS: dict[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("text/csv", csv_table),
    "tex": ("application/x-tex", latex_table),
    "md": ("text/markdown", markdown_table),
}
#: A page stays readable, and quick; files have every row.
ROWS_SHOWN = 300
#: A table of up to so many rows stands whole; a longer one scrolls under its head.
ROWS_WHOLE = 30
FORMS = ("json", *TEXT_FORMS, *FORMATS)


@dataclass(frozen=True)
class Head:
    """A column's head."""

    label: str
    number: bool


@dataclass(frozen=True)
class Cell:
    """A value as it is read, and how it is marked."""

    text: str
    number: bool
    best: bool
    significant: bool


@dataclass(frozen=True)
class TableView:
    """A table for a page. ``groups`` are (name, width), none where no column has a group."""

    table: Table
    groups: list[tuple[str, int]]
    heads: list[Head]
    rows: list[list[Cell]]
    legend: list[str]
    left_out: int = 0
    """How many further rows are in the files alone."""

    @property
    def whole(self) -> bool:
        """Whether the page shows all rows at once, rather than in an area that scrolls."""
        return len(self.rows) <= ROWS_WHOLE


@dataclass(frozen=True)
class File:
    """A file to download."""

    content: bytes
    media_type: str
    name: str


def table_view(table: Table, most_rows: int = ROWS_SHOWN) -> TableView:
    """A table as heads and cells, its first rows."""
    groups = table.groups()
    return TableView(
        table,
        groups if any(name for name, _ in groups) else [],
        [Head(head(column), is_number(column.kind)) for column in table.columns],
        [
            [
                Cell(
                    shown(row.values.get(column.key), column.kind),
                    is_number(column.kind),
                    column.key in row.best,
                    column.key in row.significant,
                )
                for column in table.columns
            ]
            for row in table.rows[:most_rows]
        ],
        table.legend(best="Bold", significant="*"),
        max(0, len(table.rows) - most_rows),
    )


def file_of(analysis: Analysis, form: str, stem: str, key: str | None = None) -> File | None:
    """The analysis in this form: one table or figure (the first, or the one of this key); None for no such.

    JSON holds everything.
    """
    if form == "json":
        content = json.dumps(analysis_content(analysis), ensure_ascii=False, indent=1)
        return File(content.encode(), "application/json", f"{stem}.json")
    if form in TEXT_FORMS and (table := _named(analysis.downloads, key)):
        media_type, write = TEXT_FORMS[form]
        content = write(table)
        return File(content.encode(), f"{media_type}; charset=utf-8", f"{stem}-{table.key}.{form}")
    if form in FORMATS and (figure := _named(analysis.figures, key)):
        return File(drawn(figure, form), MEDIA_TYPES[form], f"{stem}-{figure.key}.{form}")
    return None


def run_places(collection: Collection, tags: Iterable[str]) -> dict[str, int]:
    """Run tag → its place among all runs of the collection in order of import: one colour on every page.

    Of these runs alone, which this person may see.
    """
    shown = set(tags)
    every = Run.objects.filter(collection=collection).order_by("pk").values_list("run_tag", flat=True)
    return {tag: place for place, tag in enumerate(every) if tag in shown}


def has_charts(analysis: Analysis) -> bool:
    """Whether a page can draw any of its figures."""
    return any(figure.charts for figure in analysis.figures)


def _named(things: tuple[Thing, ...], key: str | None) -> Thing | None:
    return next((thing for thing in things if key in (None, "", thing.key)), None)
