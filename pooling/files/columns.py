"""Read the lines of a run or qrel file as columns, with queries and passages as integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from config.plurals import many
from pooling.errors import EmptyFile, InvalidFile, PoolingError, ReaderFailed
from pooling.files.formats import Content, compression_of, line_text
from pooling.files.line_blocks import Block, Layout, Number, Rows, Text, careful_rows, even_out, fast_rows
from pooling.files.mistaken_files import where_it_belongs

Integers = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True)
class Columns:
    """The content of a run or qrel file, one row per line, in file order.

    ``codes`` and ``number`` are int32 where that suffices, otherwise int64.

    - ``qids``: the queries, in order of first appearance.
    - ``query``: for each line, the index of its query in ``qids``.
    - ``codes``: the pids as numbers if every pid is a plain decimal number. Otherwise, they are indexes in
      ``spelling`` (the pids) and in ``hashes`` (equal for equal pids).
    - ``number``: the rank in a run, the grade in qrels.
    - ``score``: 32-bit floats, as in trec_eval; None for files without scores.
    """

    layout: Layout
    qids: tuple[str, ...]
    query: NDArray[np.int32]
    codes: Integers
    spelling: pl.Series | None
    hashes: NDArray[np.uint64] | None
    number: Integers
    score: NDArray[np.float32] | None
    tag: str

    def __len__(self) -> int:
        return len(self.query)

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Yield every array that has one entry per row."""
        yield from (self.query, self.codes, self.number)
        if self.score is not None:
            yield self.score

    def spell(self, codes: Integers) -> pl.Series:
        if self.spelling is None:
            return pl.Series("pid", codes).cast(Text)
        return self.spelling.gather(codes)

    def without(self, qids: Sequence[str]) -> Columns:
        """Return the columns without the lines of these queries."""
        if not qids:
            return self
        dropped = frozenset(qids)
        kept = np.array([qid not in dropped for qid in self.qids])
        rows = np.flatnonzero(kept[self.query])
        renumbered = np.cumsum(kept, dtype=np.int32) - 1
        return replace(
            self,
            qids=tuple(qid for qid in self.qids if qid not in dropped),
            query=renumbered[self.query[rows]].astype(np.int32),
            codes=self.codes[rows],
            number=self.number[rows],
            score=None if self.score is None else self.score[rows],
        )


def read_columns(content: Content, layouts: Sequence[Layout]) -> Columns:
    """Read a file in the first of these layouts that has as many columns as the file's first line.

    Raises InvalidFile (of the layout's kind), UnreadableContent, EmptyFile or ReaderFailed.
    """
    try:
        return _read_columns(content, layouts)
    except InvalidFile:
        if compression_of(content.path):
            # A damaged archive may contain invalid lines before its checksum fails. Report the damage, not the lines.
            for _ in content.again().blocks():
                pass
        raise


def _read_columns(content: Content, layouts: Sequence[Layout]) -> Columns:
    gathering: _Gathering | None = None
    first_line = 1
    for block in content.prepared(Block):
        if gathering is None:
            layout = _layout_of(content, block, first_line, layouts)
            if layout is not None:
                gathering = _Gathering(content, layout, block)
        if gathering is not None:
            try:
                gathering.add(block, first_line)
            except PoolingError:
                raise
            except Exception as fault:
                raise ReaderFailed(content.name, first_line, fault) from fault
        first_line += block.lines
    if gathering is None:
        raise EmptyFile(content.name, 0, "the file has no lines.")
    return gathering.columns()


def _layout_of(content: Content, block: Block, first_line: int, layouts: Sequence[Layout]) -> Layout | None:
    begin = 0
    for number in range(first_line, first_line + block.lines):
        line = block.data[begin : (end := block.data.find(b"\n", begin))]
        begin = end + 1
        if fields := line.split():
            for layout in layouts:
                if len(fields) == len(layout.columns):
                    return layout
            line_text(content.name, number, line)
            wanted = " or ".join(f"{len(layout.columns)} ({layout.name})" for layout in layouts)
            raise layouts[0].refusal(
                content.name,
                number,
                f"the line has {many(len(fields), 'column')}, not {wanted}.",
                where_it_belongs(fields),
            )
    return None


class _Growing:
    """An array filled block by block.

    The array is allocated large from the start, because memory that is never written to costs nothing. Collecting and
    joining parts would touch every byte twice. Integers are 32 bits wide until a value needs more.
    """

    def __init__(self, dtype: type, capacity: int) -> None:
        self.array: NDArray[Any] = np.empty(capacity, dtype)
        self.length = 0

    def extend(self, part: NDArray[Any]) -> None:
        end = self.length + len(part)
        dtype = self.array.dtype
        if dtype == np.int32 and part.dtype == np.int64 and abs(part).max(initial=0) >= 2**31:
            dtype = np.dtype(np.int64)
        if end > len(self.array) or dtype != self.array.dtype:
            grown = np.empty(max(end * 2, len(self.array)), dtype)
            grown[: self.length] = self.array[: self.length]
            self.array = grown
        self.array[self.length : end] = part
        self.length = end

    def filled(self) -> NDArray[Any]:
        return self.array[: self.length]


class _Gathering:
    """A collector of a file's blocks, which returns their lines as columns."""

    def __init__(self, content: Content, layout: Layout, first: Block) -> None:
        self.content = content
        self.layout = layout
        self.qids: dict[str, int] = {}
        self.tag: str | None = None
        capacity = content.likely_bytes * max(first.lines, 1) // len(first.data) + 1000
        self.query = _Growing(np.int32, capacity)
        self.number = _Growing(np.int32, capacity)
        self.score = _Growing(np.float32, capacity) if "score" in layout.columns else None
        self.decimal: _Growing | None = _Growing(np.int32, capacity)
        self.hashes = _Growing(np.uint64, capacity)
        self.spelled: list[pl.Series] = []

    def add(self, block: Block, first_line: int) -> None:
        rows = fast_rows(block, self.layout) or fast_rows(Block(even_out(block.data)), self.layout)
        if rows is None or not self._same_tag(rows):
            rows = careful_rows(block.data, first_line, self.content, self.layout, self.tag)
            if rows is None:
                return
            self._same_tag(rows)
        self.query.extend(self._encode(rows.qid))
        self.number.extend(rows.number)
        if self.score is not None and rows.score is not None:
            self.score.extend(rows.score)
        self._add_pids(rows.pid)

    def _add_pids(self, pid: pl.Series) -> None:
        numbers = _pids_as_integers(pid) if self.decimal is not None else None
        if self.decimal is not None and numbers is not None:
            self.decimal.extend(numbers)
            return
        if self.decimal is not None:
            before, self.decimal = self.decimal.filled(), None
            if len(before):
                self._add_pids(pl.Series("pid", before).cast(Text))
        self.spelled.append(pid)
        self.hashes.extend(pid.hash(seed=0).to_numpy())

    def _same_tag(self, rows: Rows) -> bool:
        if rows.tag is None:
            return True
        if self.tag is None:
            self.tag = str(rows.tag[0])
        return bool((rows.tag == self.tag).all())

    def _encode(self, qid: pl.Series) -> NDArray[np.int32]:
        codes = self.qids
        stretches = qid.rle().struct
        numbers = [codes.setdefault(value, len(codes)) for value in stretches.field("value").to_list()]
        return np.repeat(np.array(numbers, np.int32), stretches.field("len").to_numpy())

    def columns(self) -> Columns:
        if self.query.length == 0:
            raise EmptyFile(self.content.name, 0, "the file has no lines.")
        spelling = hashes = None
        if self.decimal is not None:
            codes = self.decimal.filled()
        else:
            spelling = pl.concat(self.spelled)
            hashes = self.hashes.filled()
            codes = np.arange(len(hashes), dtype=np.int32)
        return Columns(
            self.layout,
            tuple(self.qids),
            self.query.filled(),
            codes,
            spelling,
            hashes,
            self.number.filled(),
            None if self.score is None else self.score.filled(),
            self.tag or "",
        )


def _pids_as_integers(pid: pl.Series) -> NDArray[np.int64] | None:
    """Return the pids as integers if all are plain decimal numbers, so that nothing is lost; otherwise None."""
    first = pid[0][:1]
    if not (first.isascii() and first.isdigit()):
        return None
    length = pid.str.len_bytes()
    odd = (pid.str.starts_with("0") & (length > 1)) | (length > 18)
    if odd.any() or pid.str.starts_with("-").any() or pid.str.starts_with("+").any():
        return None
    numbers = pid.cast(Number, strict=False)
    return None if numbers.null_count() else numbers.to_numpy()


def same_string(strings: pl.Series, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return, for each row, the number of a row with the same string: one number for all rows with that string.

    ``hashes`` are ``strings.hash()``. Strings with equal hashes are compared, because they may differ.
    """
    order = np.argsort(hashes).astype(np.int32)
    in_order = hashes[order]
    first = np.concatenate(([True], in_order[1:] != in_order[:-1]))
    del in_order
    representative = np.repeat(order[first], np.diff(np.flatnonzero(first), append=len(order)))
    others = ~first
    if (strings.gather(order[others]) != strings.gather(representative[others])).any():
        # Two strings share a 64-bit hash: number them by their content, which is slower.
        return same_string(strings, strings.rank("dense").to_numpy().astype(np.uint64))
    codes = np.empty(len(order), np.int32)
    codes[order] = representative
    return codes


def pid_of(fields: Sequence[bytes]) -> bytes:
    """Return the passage id of a valid line: the second of three columns, or the third of more."""
    return fields[2 if len(fields) > 3 else 1]


def lines_with(content: Content, qid: str, pid: str | None = None) -> Iterator[int]:
    """Yield the numbers of the lines for a query, or for one of its passages. This reads the (valid) file again."""
    number = 0
    wanted = qid.encode(), None if pid is None else pid.encode()
    for block in content.again().blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            fields = line.split()
            if fields and fields[0] == wanted[0] and (pid is None or wanted[1] == pid_of(fields)):
                yield number
