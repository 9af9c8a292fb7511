"""Read the rows of a block of lines: at once if the block is regular, line by line if it is not.

A block is read by polars when every line has the expected columns, one separator between them and plain numbers.
Other blocks have their whitespace normalized and are tried again. The remaining blocks are read line by line in
Python, which either accepts every line or reports the first invalid line. All three methods accept the same lines and
give the same rows.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from config.plurals import many
from pooling.errors import InvalidFile
from pooling.files.formats import BOM, Content, line_text

Number = pl.Int64
Real = pl.Float64
Text = pl.String

LONGEST: Mapping[str, int] = {"qid": 200, "pid": 300, "tag": 200}
"""The maximum length of qid, pid and run tag, in bytes of UTF-8."""

LARGEST_GRADE = 2**31 - 1
"""The largest integer that the database column of grades can store."""
LONGEST_SHOWN = 120
"""The maximum number of bytes of a field that an error quotes."""
SPLIT_BY_TAG = "Split the file by its last column."

_INTEGER = re.compile(rb"[+-]?[0-9]{1,18}")
_REAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_WINDOW = 96
"""If every window of this many bytes contains a line feed, no field is longer than LONGEST permits."""
_PIECE = _WINDOW * 16384  # many whole windows; a block's last window may be shorter, but ends in a line feed
_BLANKS = (9, 11, 12, 13, 32)


@dataclass(frozen=True)
class Layout:
    """The columns of a file. Columns whose name starts with ``_`` are ignored."""

    name: str
    columns: tuple[str, ...]
    refusal: type[InvalidFile]

    @property
    def kinds(self) -> dict[str, Any]:
        """The polars type of each column."""
        types = {"rank": Number, "grade": Number, "score": Real}
        return {name: types.get(name, Text) for name in self.columns}


@dataclass(frozen=True)
class Rows:
    """The rows of a block as columns. ``number`` is the rank in a run, the grade in qrels."""

    qid: pl.Series
    pid: pl.Series
    number: NDArray[np.int64]
    score: NDArray[np.float32] | None
    tag: pl.Series | None


class Block:
    """A block of lines, with properties that are computed from its bytes without parsing the lines."""

    def __init__(self, data: bytes) -> None:
        separator = b"\t" if data.find(b"\t", 0, data.find(b"\n")) >= 0 else b" "
        codes = np.frombuffer(data, np.uint8)
        lines, separators, low, dense = 0, 0, 0, True
        mask = np.empty(
            min(len(codes), _PIECE), bool
        )  # shared by all pieces, because allocating memory takes longer than using it
        for begin in range(0, len(codes), _PIECE):
            piece = codes[begin : begin + _PIECE]
            here = mask[: len(piece)]
            separators += int(np.count_nonzero(np.equal(piece, separator[0], out=here)))
            low += int(np.count_nonzero(np.less(piece, 33, out=here)))
            lines += int(np.count_nonzero(np.equal(piece, 10, out=here)))
            windows = np.logical_or.reduceat(here, np.arange(0, len(here), _WINDOW))
            dense = dense and bool(windows.all())
        self.data = data
        self.lines = lines
        self.long_lines = not dense
        """Whether a line may be long enough to contain a field that is too long."""
        self.separator = separator.decode()
        self.separators = separators
        self.regular = low == lines + separators and (data.isascii() or _is_plain_utf8(data))
        """Whether the block contains only the separator, line feeds and printable UTF-8."""

    def has(self, columns: int) -> bool:
        """Return whether the block is regular and has the right number of separators for ``columns`` columns."""
        return self.regular and self.separators == self.lines * (columns - 1)


def _is_plain_utf8(data: bytes) -> bool:
    """Return whether the content is UTF-8 without byte order marks. Polars would silently drop a leading mark."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return BOM not in data


def fast_rows(block: Block, layout: Layout) -> Rows | None:
    """Return the block's rows, or None if anything about it is irregular."""
    if not block.lines or not block.has(len(layout.columns)):
        return None
    try:
        frame = pl.read_csv(
            block.data,
            has_header=False,
            separator=block.separator,
            quote_char=None,
            schema=layout.kinds,
            columns=[place for place, name in enumerate(layout.columns) if not name.startswith("_")],
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.height != block.lines or any(column.null_count() for column in frame.get_columns()):
        return None
    score = None
    if "score" in frame.columns:
        score = _as_float32(frame["score"].to_numpy())
        if not np.isfinite(score).all():
            return None
    if block.long_lines and _has_long_field(frame):
        return None
    tag = frame["tag"] if "tag" in layout.columns else None
    number = frame["rank" if "rank" in frame else "grade"].to_numpy()
    if "grade" in layout.columns and (np.abs(number) > LARGEST_GRADE).any():
        return None
    return Rows(frame["qid"], frame["pid"], number, score, tag)


def _has_long_field(frame: pl.DataFrame) -> bool:
    return any(
        (frame[name].str.len_bytes() > longest).any()
        for name, longest in LONGEST.items()
        if name in frame.columns
    )


def even_out(block: bytes) -> bytes:
    """Return the block with one space between columns, none at line ends, and no blank lines."""
    codes = np.frombuffer(block, np.uint8)
    feed = codes == 10
    blank = np.isin(codes, _BLANKS)
    gap = blank | feed
    first = gap & ~np.concatenate(([True], gap[:-1]))
    evened = codes.copy()
    # Reduce each stretch of blanks and line feeds to one byte: a line feed if it contains one.
    stretch = np.cumsum(first)
    holds_feed = np.zeros(int(stretch[-1]) + 1, bool)
    holds_feed[stretch[feed]] = True
    evened[first] = np.where(holds_feed[stretch[first]], np.uint8(10), np.uint8(32))
    kept: bytes = evened[first | ~gap].tobytes()
    return kept


def _as_float32(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round 64-bit scores to 32 bits, as C's ``(float) atof(text)`` does in trec_eval."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32)


def careful_rows(
    block: bytes, first_line: int, content: Content, layout: Layout, tag: str | None
) -> Rows | None:
    """Read the block's rows line by line; return None if all are blank. Errors name the first invalid line."""
    found: dict[str, list[Any]] = {name: [] for name in layout.columns}
    for number, line in enumerate(block[:-1].split(b"\n"), first_line):
        fields = line.split()
        if not fields:
            continue
        wrong = problem_with_line(fields, layout)
        line_text(content.name, number, line)
        if wrong:
            raise layout.refusal(content.name, number, wrong.reason)
        for name, value in zip(layout.columns, fields, strict=True):
            found[name].append(value)
        if "tag" in found:
            tag = tag or fields[layout.columns.index("tag")].decode()
            if found["tag"][-1].decode() != tag:
                raise layout.refusal(
                    content.name, number, mixed_tags_reason(fields[-1].decode(), tag), SPLIT_BY_TAG
                )
    if not found["qid"]:
        return None
    return _decoded_rows(found)


def _decoded_rows(found: Mapping[str, list[bytes]]) -> Rows:
    def text(name: str) -> pl.Series:
        return pl.Series(name, [value.decode() for value in found[name]], Text)

    score = None
    if "score" in found:
        score = _as_float32(np.array([float(value) for value in found["score"]]))
    number = np.array([int(value) for value in found["rank" if "rank" in found else "grade"]], np.int64)
    return Rows(text("qid"), text("pid"), number, score, text("tag") if "tag" in found else None)


@dataclass(frozen=True)
class LineProblem:
    """A problem with a line. Problems are counted by their ``kind``."""

    kind: str
    reason: str


def problem_with_line(fields: Sequence[bytes], layout: Layout) -> LineProblem | None:
    """Return the first problem with a line of these fields, or None if the line is valid."""
    if len(fields) != len(layout.columns):
        wanted = f"{len(layout.columns)} ({layout.name})"
        return LineProblem(
            "columns", f"the line has {many(len(fields), 'column')}, the lines before it {wanted}."
        )
    for name, value in zip(layout.columns, fields, strict=True):
        if name in ("rank", "grade") and not _INTEGER.fullmatch(value):
            return LineProblem(name, f"the {name} {quoted_field(value)} is not an integer.")
        if name == "grade" and abs(int(value)) > LARGEST_GRADE:
            return LineProblem(
                name,
                f"the grade {quoted_field(value)} is not between -{LARGEST_GRADE:,} and {LARGEST_GRADE:,}.",
            )
        if name == "score" and (reason := _wrong_score(value)):
            return LineProblem(name, reason)
        if name in LONGEST and len(value) > LONGEST[name]:
            return LineProblem("length", f"the {name} is longer than {LONGEST[name]} bytes.")
    return None


def _wrong_score(value: bytes) -> str:
    if _NOT_FINITE.fullmatch(value):
        return f"the score {quoted_field(value)} is not finite."
    if not _REAL.fullmatch(value):
        return f"the score {quoted_field(value)} is not a number."
    if not math.isfinite(float(_as_float32(np.array([float(value)]))[0])):
        return f"the score {quoted_field(value)} is too large: scores are read as 32-bit floats."
    return ""


def mixed_tags_reason(found: str, tag: str) -> str:
    """Return the reason for refusing a line whose run tag differs from that of earlier lines."""
    now, before = quoted_field(found.encode()), quoted_field(tag.encode())
    return f"the run tag is {now}, but earlier lines have {before}; a file contains one run."


def quoted_field(value: bytes) -> str:
    """Return a field in quotes for an error: printable, and shortened, because a line can have 64 MiB."""
    cut = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…".encode()
    return repr(cut.decode("utf-8", "replace"))
