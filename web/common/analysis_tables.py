"""An analysis for a page: its tables as cells, and its downloads."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from leaderboard.output import Analysis, Figure, Table
from leaderboard.output.content import analysis_content
from leaderboard.output.csv_tables import csv_table
from leaderboard.output.drawing import FORMATS, MEDIA_TYPES, figure_image
from leaderboard.output.latex import latex_table
from leaderboard.output.markdown import markdown_table
from leaderboard.output.numbers import column_head, is_number, number_text

Thing = TypeVar("Thing", Table, Figure)
TEXT_FORMS: dict[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("text/csv", csv_table),
    "tex": ("application/x-tex", latex_table),
    "md": ("text/markdown", markdown_table),
}
#: The most rows of a table that a page shows; files have every row.
ROWS_SHOWN = 300
#: The most rows that a table shows without scrolling; a longer table scrolls below its head.
ROWS_WHOLE = 30
FORMS = ("json", *TEXT_FORMS, *FORMATS)


@dataclass(frozen=True)
class Head:
    label: str
    number: bool


@dataclass(frozen=True)
class Cell:
    """A formatted value, and whether it is marked as best (bold) or significant (asterisk)."""

    text: str
    number: bool
    best: bool
    significant: bool


@dataclass(frozen=True)
class TableView:
    """A table for a page. ``groups`` are (name, number of columns); the list is empty if no column has a group."""

    table: Table
    groups: list[tuple[str, int]]
    heads: list[Head]
    rows: list[list[Cell]]
    legend: list[str]
    left_out: int = 0
    """Number of rows that only the files have."""

    @property
    def shows_all_rows(self) -> bool:
        """Whether the page shows all rows at once instead of in a scrolling area."""
        return len(self.rows) <= ROWS_WHOLE


@dataclass(frozen=True)
class File:
    content: bytes
    media_type: str
    name: str


def table_view(table: Table) -> TableView:
    """Return a table's headings, and the cells of its first rows."""
    groups = table.groups()
    return TableView(
        table,
        groups if any(name for name, _ in groups) else [],
        [Head(column_head(column), is_number(column.kind)) for column in table.columns],
        [
            [
                Cell(
                    number_text(row.values.get(column.key), column.kind),
                    is_number(column.kind),
                    column.key in row.best,
                    column.key in row.significant,
                )
                for column in table.columns
            ]
            for row in table.rows[:ROWS_SHOWN]
        ],
        table.legend(best="Bold", significant="*"),
        max(0, len(table.rows) - ROWS_SHOWN),
    )


def analysis_file(analysis: Analysis, form: str, stem: str, key: str | None = None) -> File | None:
    """Return the table or figure with this key (default: the first) in this format; None if there is none.

    A JSON file has the whole analysis.
    """
    if form == "json":
        content = json.dumps(analysis_content(analysis), ensure_ascii=False, indent=1)
        return File(content.encode(), "application/json", f"{stem}.json")
    if form in TEXT_FORMS and (table := _first_with_key(analysis.downloads, key)):
        media_type, write = TEXT_FORMS[form]
        content = write(table)
        return File(content.encode(), f"{media_type}; charset=utf-8", f"{stem}-{table.key}.{form}")
    if form in FORMATS and (figure := _first_with_key(analysis.figures, key)):
        return File(figure_image(figure, form), MEDIA_TYPES[form], f"{stem}-{figure.key}.{form}")
    return None


def _first_with_key(things: tuple[Thing, ...], key: str | None) -> Thing | None:
    return next((thing for thing in things if key in (None, "", thing.key)), None)
