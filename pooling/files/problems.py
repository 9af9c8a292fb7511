"""List the problems of a refused file: the first few of each kind with their lines, and the total of each kind.

A valid file is read only once, by the fast reader in pooling.files.columns. A refused file is read again to list all
of its problems, and its irregular blocks are read line by line. Reading stops only if lines cannot be read at all.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from config.guidance import Guidance, Option, stored
from config.plurals import many
from pooling.errors import InvalidFile
from pooling.files.formats import Content, line_text
from pooling.files.line_blocks import (
    SPLIT_BY_TAG,
    Block,
    Layout,
    LineProblem,
    Text,
    even_out,
    fast_rows,
    mixed_tags_reason,
    problem_with_line,
)
from pooling.files.mistaken_files import run_or_labels, where_it_belongs
from pooling.files.repeated_rows import repeated

MOST_LISTED = 100
#: This many problems of each kind are always listed, even if the first hundred problems are of other kinds.
LISTED_OF_EACH_KIND = 5
#: The number of characters of a line that are shown with its problem.
LONGEST_SHOWN = 120
TOO_DEEP = "Keep the best passages of each query. The limit is a setting of the collection."
#: Kind of problem → advice, for problems that have no advice of their own.
NEXT_STEPS = {
    "columns": "Look for a missing or extra space, or for a line that was cut off.",
    "rank": "Write a whole number.",
    "grade": "Write a whole number.",
    "score": "Write a plain decimal number.",
    "length": "Check whether columns run together.",
    "encoding": "Write the file as UTF-8.",
    "unknown query": Guidance(
        "Check that the file is for this collection, or leave such lines out with ",
        Option("skip-unknown"),
        ".",
    ),
    "too many passages": TOO_DEEP,
    "repeated passage": "Keep one of the two lines.",
    "repeated query": "Keep one of the two lines.",
    "no text": "Add a text, or remove the line.",
    "format": "Write an id, a tab and a text, or a JSON object.",
}
#: Kinds of problems that can mean that the line belongs to another kind of file.
SHAPES = ("columns", "rank", "grade")
#: Kinds of problems that no line of the file causes. They concern the run, or when and how often its team submits.
OF_THE_RUN = frozenset({"run", "submission policy"})
#: The kind of problem of a line whose query the collection does not have.
UNKNOWN_QUERY = "unknown query"
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Problem:
    """A problem in a file; line 0 means the whole file."""

    line: int
    kind: str
    reason: str
    next_step: str = ""
    text: str = ""
    """The beginning of the line, as it is in the file."""

    def as_json(self) -> dict[str, Any]:
        """Return the problem in the form stored in the database."""
        return asdict(self) | {"next_step": stored(self.next_step)}


@dataclass(frozen=True)
class Problems:
    """The first few problems of each kind, in line order, and the total of each kind."""

    listed: tuple[Problem, ...]
    counts: dict[str, int]

    @property
    def total(self) -> int:
        """The number of all problems, listed or not."""
        return sum(self.counts.values())


def only_unknown_queries(counts: Mapping[str, int]) -> bool:
    """Return whether all problems are lines of unknown queries. Such lines can be left out."""
    return set(counts) == {UNKNOWN_QUERY}


def with_lines(found: Problems, content: Content) -> Problems:
    """Return the same problems, each with the beginning of its line; this reads the content again."""
    wanted = {one.line for one in found.listed if one.line}
    texts: dict[int, str] = {}
    number = 0
    with suppress(InvalidFile):  # a damaged archive has no more lines
        for block in content.again().blocks() if wanted else ():
            lines = block[:-1].split(b"\n")
            here = [line for line in wanted if number < line <= number + len(lines)]
            texts |= {line: _beginning(lines[line - number - 1]) for line in here}
            number += len(lines)
            if len(texts) == len(wanted):
                break
    listed = tuple(replace(one, text=texts.get(one.line, "")) for one in found.listed)
    return Problems(listed, found.counts)


def _beginning(line: bytes) -> str:
    text = line[: 4 * LONGEST_SHOWN].decode("utf-8", "replace").replace("\x00", "\ufffd").strip()
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


class Listing:
    """A collector of problems, which can be added in any order.

    It counts all problems and keeps MOST_LISTED of them: the first few of each kind, then the others by line.
    """

    def __init__(self) -> None:
        self.kept: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def add(self, problem: Problem) -> None:
        if not problem.next_step and problem.kind in NEXT_STEPS:
            problem = replace(problem, next_step=NEXT_STEPS[problem.kind])
        self.counts[problem.kind] += 1
        self.kept.append(problem)
        if len(self.kept) > 2 * MOST_LISTED:
            self._cut()

    def count(self, kind: str, more: int) -> None:
        """Count more problems of a kind without listing them. They must come after the listed problems."""
        self.counts[kind] += more

    def all(self) -> Problems:
        self._cut()
        return Problems(tuple(self.kept), {kind: n for kind, n in self.counts.most_common() if n})

    def _cut(self) -> None:
        seen: Counter[str] = Counter()
        first: list[Problem] = []
        others: list[Problem] = []
        for one in sorted(self.kept, key=lambda one: one.line):
            seen[one.kind] += 1
            (first if seen[one.kind] <= LISTED_OF_EACH_KIND else others).append(one)
        kept = [*first, *others[: max(0, MOST_LISTED - len(first))]]
        self.kept = sorted(kept, key=lambda one: one.line)


def of_refusal(refusal: InvalidFile) -> Problem:
    kind = refusal.kind or ("file" if refusal.line == 0 else "encoding")
    return Problem(refusal.line, kind, refusal.reason, refusal.next_step)


def only_damage(damage: InvalidFile) -> Problems:
    """Return the damage to a file as its only problem, because invalid lines may be a result of the damage."""
    alone = Listing()
    alone.add(of_refusal(damage))
    return alone.all()


def problems_of_lines(
    content: Content,
    layouts: Sequence[Layout],
    *,
    known_qids: Collection[str] | None = None,
    skip_unknown: bool = False,
    max_depth: int | None = None,
) -> Problems:
    """Return all problems of a run or qrel file.

    Each query outside ``known_qids`` is one problem, unless ``skip_unknown``. A query with more than ``max_depth``
    passages is a problem at the first line beyond the limit.

    Repeated passages are recognized by a 64-bit hash, which is enough for a refused file.
    """
    known = None if known_qids is None else frozenset(known_qids)
    reading = _Reading(content, layouts, known, Listing(), skip_unknown, max_depth)
    first_line = 1
    try:
        for block in content.prepared(Block):
            reading.take(block, first_line)
            first_line += block.lines
    except InvalidFile as damage:
        return only_damage(damage)
    return reading.finished()


@dataclass
class _Reading:
    content: Content
    layouts: Sequence[Layout]
    known: frozenset[str] | None
    listing: Listing
    skip_unknown: bool = False
    max_depth: int | None = None
    layout: Layout | None = None
    tag: str | None = None
    unknown: dict[str, list[int]] = field(default_factory=dict)
    """qid → first line, number of lines."""
    depths: Counter[str] = field(default_factory=Counter)
    too_deep: dict[str, int] = field(default_factory=dict)
    """qid → the line of its first passage beyond the limit."""
    keys: list[NDArray[np.uint64]] = field(default_factory=list)
    lines: list[NDArray[np.int64]] = field(default_factory=list)

    def take(self, block: Block, first_line: int) -> None:
        if self.layout is not None and self._take_regular(block, first_line):
            return
        good: list[tuple[int, list[bytes]]] = list(self._good_lines(block, first_line))
        if good:
            numbers = np.array([number for number, _ in good], np.int64)
            columns = self.layout.columns if self.layout else ()
            qid, pid = (
                pl.Series(name, [fields[columns.index(name)].decode() for _, fields in good], Text)
                for name in ("qid", "pid")
            )
            self._note(qid, pid, numbers)

    def _take_regular(self, block: Block, first_line: int) -> bool:
        """Accept the block if the fast reader finds all of its lines valid; return whether it was accepted."""
        assert self.layout is not None
        rows = fast_rows(block, self.layout)
        if rows is None:
            evened = Block(even_out(block.data))
            rows = fast_rows(evened, self.layout) if evened.lines == block.lines else None
        if rows is None:
            return False
        if rows.tag is not None:
            self.tag = self.tag if self.tag is not None else str(rows.tag[0])
            if not bool((rows.tag == self.tag).all()):
                return False
        self._note(rows.qid, rows.pid, np.arange(first_line, first_line + block.lines))
        return True

    def _good_lines(self, block: Block, first_line: int) -> Iterator[tuple[int, list[bytes]]]:
        for number, line in enumerate(block.data[:-1].split(b"\n"), first_line):
            if not (fields := line.split()):
                continue
            problem = self._problem(number, line, fields)
            if problem is None:
                yield number, fields
            else:
                self.listing.add(problem)

    def _problem(self, number: int, line: bytes, fields: list[bytes]) -> Problem | None:
        try:
            line_text(self.content.name, number, line)
        except InvalidFile as refusal:
            return of_refusal(refusal)
        if self.layout is None:
            # The first line with as many columns as a layout determines the layout. A line before it, such as a
            # header, is one problem.
            self.layout = next((one for one in self.layouts if len(one.columns) == len(fields)), None)
        if self.layout is None:
            wanted = " or ".join(f"{len(one.columns)} ({one.name})" for one in self.layouts)
            reason = f"the line has {many(len(fields), 'column')}, not {wanted}."
            return Problem(number, "columns", reason, where_it_belongs(fields))
        wrong = problem_with_line(fields, self.layout)
        if wrong is not None:
            return _problem_of_line(number, fields, self.layout, wrong, lines_before=self.tag is not None)
        if "tag" in self.layout.columns:
            found = fields[self.layout.columns.index("tag")].decode()
            self.tag = found if self.tag is None else self.tag
            if found != self.tag:
                return Problem(number, "run tag", mixed_tags_reason(found, self.tag), SPLIT_BY_TAG)
        return None

    def _note(self, qid: pl.Series, pid: pl.Series, numbers: NDArray[np.int64]) -> None:
        if self.known is not None or self.max_depth is not None:
            self._note_queries(qid, numbers)
        hashed = qid.hash(seed=0).to_numpy() * _SPREAD + pid.hash(seed=1).to_numpy()
        self.keys.append(hashed)
        self.lines.append(numbers)

    def _note_queries(self, qid: pl.Series, numbers: NDArray[np.int64]) -> None:
        stretches = qid.rle().struct
        at = 0
        counts = stretches.field("len").to_list()
        for value, count in zip(stretches.field("value").to_list(), counts, strict=True):
            if self.known is not None and value not in self.known:
                self.unknown.setdefault(value, [int(numbers[at]), 0])[1] += count
            elif self.max_depth is not None and value not in self.too_deep:
                first = self.max_depth - self.depths[value]
                self.depths[value] += count
                if first < count:
                    self.too_deep[value] = int(numbers[at + first])
            at += count

    def finished(self) -> Problems:
        if self.layout is None and not self.listing.counts:
            self.listing.add(
                Problem(0, "file", "the file has no lines.", "Send a file with at least one line.")
            )
        for qid, line in self.too_deep.items():
            said = f"query {qid} has more than {many(self.max_depth or 0, 'passage')}."
            self.listing.add(Problem(line, "too many passages", said))
        for qid, (line, count) in () if self.skip_unknown else self.unknown.items():
            lines = "1 line" if count == 1 else f"{count:,} lines"
            self.listing.add(Problem(line, UNKNOWN_QUERY, f"query {qid} is not in the collection ({lines})."))
        self._add_repeats()
        return self.listing.all()

    def _add_repeats(self) -> None:
        if not self.keys:
            return
        keys, lines = np.concatenate(self.keys), np.concatenate(self.lines)
        self.keys, self.lines = [], []
        count, found = repeated(keys, MOST_LISTED)
        for row, earliest in found:
            said = f"this passage of the query already appears on line {lines[earliest]:,}."
            self.listing.add(Problem(int(lines[row]), "repeated passage", said))
        self.listing.count("repeated passage", max(0, count - MOST_LISTED))


def _problem_of_line(
    number: int, fields: list[bytes], layout: Layout, wrong: LineProblem, *, lines_before: bool
) -> Problem:
    reason = wrong.reason
    if wrong.kind == "columns":
        reason = f"the line has {many(len(fields), 'column')}, not {len(layout.columns)} ({layout.name})."
    # With Q0 in the second column, the line does not belong to another kind of file, but was cut off.
    cut = len(fields) < len(layout.columns) and fields[1:2] == [b"Q0"]
    if wrong.kind not in SHAPES or cut:
        return Problem(number, wrong.kind, reason)
    # After valid lines of a run, a line of a few words is damaged. It does not make the file one of texts.
    belongs = (run_or_labels(fields) or "") if lines_before else where_it_belongs(fields)
    return Problem(number, wrong.kind, reason, belongs)
