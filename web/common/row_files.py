"""Files to download: rows as CSV or JSON lines, and text that is sent in chunks."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

from config.spreadsheets import as_text

Item = TypeVar("Item")

#: Format, which is also the file extension → media type.
FORMS = {"csv": "text/csv", "jsonl": "application/jsonl"}
#: Smallest chunk to send, in characters.
PIECE = 8_000
FIRST_ROWS = 150
MOST_ROWS = 4000


@dataclass(frozen=True)
class Rows:
    """Rows of a file, all with the same columns; ``stem`` is the file's name without its extension.

    A value is a text, a number, a boolean or a list of texts.
    """

    stem: str
    columns: list[str]
    rows: Iterable[dict[str, Any]]


def in_parts(rows: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield the rows in growing batches.

    The first rows arrive soon, yet thousands of rows need only a few database queries.
    """
    first, size = 0, FIRST_ROWS
    while first < len(rows):
        yield rows[first : first + size]
        first, size = first + size, min(4 * size, MOST_ROWS)


def as_attachment(content: str | bytes, name: str, media_type: str) -> HttpResponse:
    """Return a response that browsers save as a file with this name."""
    headers = {"Content-Disposition": content_disposition_header(True, name)}
    return HttpResponse(content, content_type=media_type, headers=headers)


def streamed_text(pieces: Iterator[str], name: str, media_type: str) -> StreamingHttpResponse:
    """Return a text file with this name, sent piece by piece."""
    headers = {"Content-Disposition": content_disposition_header(True, name)}
    return StreamingHttpResponse(pieces, content_type=f"{media_type}; charset=utf-8", headers=headers)


def rows_file(rows: Rows, form: str) -> StreamingHttpResponse:
    """Return the rows as a streamed file. Raises Http404 unless the format is one of ``FORMS``."""
    if form not in FORMS:
        raise Http404("Unknown file format.")
    return streamed_text(written(rows, form), f"{rows.stem}.{form}", FORMS[form])


def written(rows: Rows, form: str) -> Iterator[str]:
    """Yield the rows in one of ``FORMS``, chunk by chunk. Raises KeyError for an unknown format."""
    write: dict[str, Callable[[Rows], Iterator[str]]] = {"csv": _csv_lines, "jsonl": _json_lines}
    return in_pieces(write[form](rows))


def in_pieces(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in larger chunks, because the server sends each chunk separately.

    The first line, such as the column names, is sent alone, so that a download starts while the rows are sorted.
    """
    piece: list[str] = []
    size = 0
    lines = iter(lines)
    yield next(lines, "")
    for line in lines:
        piece.append(line)
        size += len(line)
        if size >= PIECE:
            yield "".join(piece)
            piece, size = [], 0
    yield "".join(piece)


def _csv_lines(rows: Rows) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow(rows.columns)
    for row in rows.rows:
        writer.writerow([_csv_cell(row[column]) for column in rows.columns])
        yield line.getvalue()
        line.seek(0)
        line.truncate()
    yield line.getvalue()


def _csv_cell(value: Any) -> Any:
    """Return the value as a cell: lists joined by spaces, text escaped so that spreadsheets read no formula."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    return as_text(value) if isinstance(value, str) else value


def _json_lines(rows: Rows) -> Iterator[str]:
    for row in rows.rows:
        yield json.dumps({column: row[column] for column in rows.columns}, ensure_ascii=False) + "\n"
