"""Read a table that describes many runs, as TSV or CSV: a header, then one line for each run.

Columns have the names of a run's fields and details. Columns named after measures contain values that the track
reported.
"""

import csv
import difflib
import io
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pooling.errors import InvalidFile, PoolingError
from pooling.rules.run_details import REPORTED, Detail, read_value

MOST_RUNS = 20_000
#: Name of a column → the field or detail of a run that it contains.
COLUMNS = {
    "run": "run_tag",
    "run_tag": "run_tag",
    "tag": "run_tag",
    "runid": "run_tag",
    "group": "team",
    "team": "team",
    "description": "description",
    "paper": "paper",
    "code": "code",
    "baseline": "baseline",
    "submitted_on": "submitted_on",
    "date": "submitted_on",
    "run_type": "family",
}
_LONGEST = {"run_tag": 200, "team": 200, "description": 10_000, "paper": 500, "code": 500}


@dataclass(frozen=True)
class DescribedRun:
    """One line of the table: a run's tag, its fields and its details. ``line`` is the line's number, from 1."""

    run_tag: str
    line: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


class UnreadableCell(PoolingError):
    """A cell with an invalid value."""


def read_run_metadata(
    text: str, *, name: str, known: Mapping[str, Detail], is_measure: Callable[[str], bool]
) -> list[DescribedRun]:
    """Return a run for each line of the table. Raises InvalidFile for the first line that cannot be read.

    ``known``: name → detail, for every detail that the collection's runs can have. ``is_measure``: returns whether a
    name is the name of a measure.
    """
    text = text.removeprefix("\ufeff")
    lines = csv.reader(io.StringIO(text), delimiter=_separator(text), strict=True)
    try:
        header = [cell.strip() for cell in next(lines, [])]
        meaning = _column_fields(header, name, known, is_measure)
        found: dict[str, DescribedRun] = {}
        for cells in lines:
            if not any(cell.strip() for cell in cells):
                continue
            one = _described_run(cells, lines.line_num, header, meaning, name, known)
            if one.run_tag in found:
                before = found[one.run_tag].line
                raise InvalidFile(
                    name, one.line, f"{one.run_tag} is already described on line {before}.", "Keep one line."
                )
            found[one.run_tag] = one
            if len(found) > MOST_RUNS:
                raise InvalidFile(
                    name, one.line, f"the table has more than {MOST_RUNS:,} runs.", "Split the file."
                )
    except csv.Error as error:
        raise InvalidFile(name, lines.line_num, f"not a table: {error}.", "Send TSV or CSV.") from None
    if not found:
        raise InvalidFile(
            name, 0, "the table describes no runs.", "Write a header, then one line for each run."
        )
    return list(found.values())


def _separator(text: str) -> str:
    header = text.partition("\n")[0]
    return "\t" if "\t" in header else ";" if header.count(";") > header.count(",") else ","


def _column_fields(
    header: Sequence[str], name: str, known: Mapping[str, Detail], is_measure: Callable[[str], bool]
) -> list[str]:
    """Return what each column contains: the name of a field or detail, or ``reported MEASURE``."""
    also = {other: one.name for one in known.values() for other in one.also}
    found = []
    for column in header:
        plain = column.casefold().replace(" ", "_").replace("-", "_")
        meant = plain if plain in known else also.get(plain) or COLUMNS.get(plain)
        if meant is None and is_measure(column):
            meant = f"{REPORTED} {column}"
        if meant is None:
            raise InvalidFile(name, 1, f"unknown column {column[:60]!r}.", _advice(plain, known))
        if meant in found:
            raise InvalidFile(name, 1, f"two columns contain the {meant}.", "Keep one of them.")
        found.append(meant)
    if "run_tag" not in found:
        raise InvalidFile(name, 1, "the column of run tags is missing.", "Name it run.")
    return found


def _advice(column: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(column, [*COLUMNS, *known], n=1)
    guess = f"Did you mean {near[0]}? " if near else ""
    return f"{guess}Add a new column to the collection's own fields first, or leave it out."


def _described_run(
    cells: Sequence[str],
    line: int,
    header: Sequence[str],
    meaning: Sequence[str],
    name: str,
    known: Mapping[str, Detail],
) -> DescribedRun:
    if len(cells) != len(header):
        reason = f"the line has {len(cells)} columns, but the header has {len(header)}."
        raise InvalidFile(name, line, reason, "Write as many columns on every line as in the header.")
    fields: dict[str, Any] = {}
    details: dict[str, Any] = {}
    reported: dict[str, float] = {}
    for column, meant, cell in zip(header, meaning, map(str.strip, cells), strict=True):
        try:
            if meant.startswith(f"{REPORTED} "):
                if cell:
                    reported[column] = _reported_value(cell)
            elif meant in known:
                details[meant] = read_value(known[meant], cell)
            else:
                fields[meant] = _field_value(meant, cell)
        except PoolingError as wrong:
            raise InvalidFile(name, line, f"{column}: {wrong.message}", str(wrong.next_step)) from None
    run_tag = fields.pop("run_tag")
    return DescribedRun(run_tag, line, fields, details | ({REPORTED: reported} if reported else {}))


def _field_value(name: str, cell: str) -> Any:
    if name == "baseline":
        if cell.casefold() not in ("yes", "no", "true", "false", "1", "0", ""):
            raise UnreadableCell(f"{cell[:40]!r} is neither yes nor no.", "Write yes or no.")
        if not cell:
            return None
        return cell.casefold() in ("yes", "true", "1")
    if name == "submitted_on":
        try:
            return date.fromisoformat(cell) if cell else None
        except ValueError:
            raise UnreadableCell(f"{cell[:40]!r} is not a date.", "Write it as 2026-11-22.") from None
    if name == "run_tag" and (not cell or any(map(str.isspace, cell))):
        raise UnreadableCell(f"{cell[:40]!r} cannot be a run tag.", "Write the tag without spaces.")
    if len(cell) > _LONGEST[name] or "\x00" in cell:
        raise UnreadableCell("the text is too long.", f"Use at most {_LONGEST[name]} characters.")
    return cell


def _reported_value(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = float("nan")
    if not -1e9 < number < 1e9:
        raise UnreadableCell(
            f"{cell[:40]!r} is not a number.", "Write a value such as 0.7184, or leave it empty."
        )
    return number
