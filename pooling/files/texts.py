"""Read query files and passage files: TSV (id, text) or JSON lines with the usual field names."""

import json
import re
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pooling.errors import EmptyFile, InvalidFile, InvalidPassageFile, InvalidQueryFile, ReaderFailed
from pooling.files.formats import Content, line_text, numbered_lines
from pooling.files.line_blocks import LONGEST, quoted_field
from pooling.files.mistaken_files import run_or_labels, texts_of_another_kind
from pooling.files.problems import MOST_LISTED, Listing, Problem, Problems, only_damage, with_lines
from pooling.files.repeated_rows import repeated

QID_FIELDS = ("qid", "_id", "id", "query_id")
QUERY_FIELDS = ("query", "text", "title", "question")
PID_FIELDS = ("pid", "_id", "id", "docid", "passage_id")
PASSAGE_FIELDS = ("passage", "text", "contents", "body")
MOST_QUERIES = 2_000_000
"""Maximum number of queries in a collection. All of them are in memory while their file is read."""
LONGEST_QUERY, LONGEST_PASSAGE = 100_000, 2_000_000
"""Maximum number of characters in a query and in a passage. Pages could not show longer texts for judging."""

# Finds each place in a JSON line that may contain its id. An escaped quote inside a text never matches.
_IDS = re.compile(rb'"(?:' + "|".join(PID_FIELDS).encode() + rb')"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+))')
# The usual case: the id comes first, so the rest of the line need not be searched.
_FIRST_ID = re.compile(rb'\{"(pid|_id)": ?"([^"\\]*)"')


@dataclass(frozen=True)
class Text:
    """One query or passage of a file."""

    line: int
    id: str
    text: str


@dataclass(frozen=True)
class _Fields:
    """The JSON fields that can contain ids and texts, their maximum lengths, and the error for an invalid line."""

    ids: Sequence[str]
    texts: Sequence[str]
    longest: int
    longest_text: int
    refusal: type[InvalidFile]


_QUERY = _Fields(QID_FIELDS, QUERY_FIELDS, LONGEST["qid"], LONGEST_QUERY, InvalidQueryFile)
_PASSAGE = _Fields(PID_FIELDS, PASSAGE_FIELDS, LONGEST["pid"], LONGEST_PASSAGE, InvalidPassageFile)


def read_query_file(content: Content) -> list[Text]:
    """Return all queries of a file, in file order. Refuses empty texts and repeated ids."""
    found: dict[str, Text] = {}
    for query in _read_texts(content, _QUERY):
        if query.id in found:
            first = found[query.id].line
            raise InvalidQueryFile(
                content.name, query.line, f"query {query.id} already appears on line {first}."
            )
        if not query.text.strip():
            raise InvalidQueryFile(content.name, query.line, f"query {query.id} has no text.")
        if len(found) == MOST_QUERIES:
            raise _too_many(content, query.line)
        found[query.id] = query
    if not found:
        raise EmptyFile(content.name, 0, "the file has no queries.")
    return list(found.values())


def _too_many(content: Content, number: int) -> InvalidQueryFile:
    return InvalidQueryFile(
        content.name,
        number,
        f"the file contains more than {MOST_QUERIES:,} queries.",
        "Split them into several collections, or leave out queries that no run answers.",
    )


def query_problems(content: Content) -> Problems:
    """Return all problems of a query file that ``read_query_file`` has refused."""
    listing = Listing()
    first: dict[str, int] = {}
    try:
        for query in _valid_texts(content, _QUERY, listing):
            if len(first) == MOST_QUERIES:
                raise _too_many(content, query.line)
            there = first.setdefault(query.id, query.line)
            if there != query.line:
                said = f"query {quoted_field(query.id.encode())} already appears on line {there:,}."
                listing.add(Problem(query.line, "repeated query", said))
            elif not query.text.strip():
                said = f"query {quoted_field(query.id.encode())} has no text."
                listing.add(Problem(query.line, "no text", said))
    except InvalidFile as damage:
        return only_damage(damage)
    if not first and not listing.counts:
        listing.add(Problem(0, "file", "the file has no queries."))
    return _with_lines(listing, content)


def passage_problems(content: Content) -> Problems:
    """Read a whole passage file and return all of its problems. Needs at most 48 bytes of memory per line."""
    listing = Listing()
    keys, lines = array("q"), array("q")
    try:
        for passage in _valid_texts(content, _PASSAGE, listing):
            keys.append(hash(passage.id))
            lines.append(passage.line)
    except InvalidFile as damage:
        return only_damage(damage)
    if not keys and not listing.counts:
        listing.add(Problem(0, "file", "the file has no passages."))
    count, found = repeated(np.array(keys, np.int64).view(np.uint64), MOST_LISTED)
    for row, earliest in found:
        said = f"this passage already appears on line {lines[earliest]:,}."
        listing.add(Problem(lines[row], "repeated passage", said))
    listing.count("repeated passage", count - len(found))
    return _with_lines(listing, content)


def _with_lines(listing: Listing, content: Content) -> Problems:
    found = with_lines(listing.all(), content)
    return replace(found, listed=tuple(map(_as_other_kind, found.listed)))


def _as_other_kind(problem: Problem) -> Problem:
    """Add advice on where to upload the file, if a repeated id shows that it is a run or labels.

    Runs and labels with tabs between their columns can be read as ids and texts.
    """
    other = run_or_labels(problem.text.encode().split()) if problem.kind.startswith("repeated") else None
    return replace(problem, next_step=other) if other else problem


def _valid_texts(content: Content, fields: _Fields, listing: Listing) -> Iterator[Text]:
    """Yield the text of each valid line, and add each invalid line to ``listing``."""
    for number, line in numbered_lines(content):
        try:
            text = _text_from_line(content.name, number, line, fields)
        except InvalidFile as refusal:
            listing.add(Problem(number, "format", refusal.reason, refusal.next_step))
            continue
        yield text


def read_qids(content: Content) -> list[str]:
    """Return the qids in a query file, or in a file with one qid per line."""
    qids: dict[str, None] = {}
    for number, line in numbered_lines(content):
        if line.lstrip().startswith(b"{"):
            qids[_text_from_json(content.name, number, line, _QUERY, need_text=False).id] = None
        else:
            qids.update(dict.fromkeys(line_text(content.name, number, line).split()[:1]))
    if not qids:
        raise EmptyFile(content.name, 0, "the file contains no qid.")
    return list(qids)


def format_of(content: Content) -> str:
    """Return ``tsv`` or ``jsonl``, recognized by the first line that is not blank."""
    for number, line in numbered_lines(content):
        if line.lstrip().startswith(b"{"):
            return "jsonl"
        if b"\t" in line:
            return "tsv"
        raise InvalidPassageFile(
            content.name, number, "the line is neither JSON nor an id, a tab and a text."
        )
    raise EmptyFile(content.name, 0, "the file has no passages.")


def read_passages(content: Content, format: str, wanted: Collection[str] | None = None) -> Iterator[Text]:
    """Yield the passages of a file, one after another. The caller may stop early.

    If ``wanted`` pids are given, most other lines are skipped after a look at their ids. A few other passages may
    still be yielded.
    """
    keys = None if wanted is None else {pid.encode() for pid in wanted}
    keep: Callable[[bytes], bool] | None = None
    if keys is not None:
        keep = _wanted_json(keys) if format == "jsonl" else _wanted_tsv(keys)
    return _read_texts(content, _PASSAGE, keep)


def _wanted_tsv(keys: Collection[bytes]) -> Callable[[bytes], bool]:
    return lambda line: line[: line.find(b"\t")].strip() in keys


def _wanted_json(keys: Collection[bytes]) -> Callable[[bytes], bool]:
    def wanted(line: bytes) -> bool:
        first = _FIRST_ID.match(line)
        if first is not None and (first[1] == b"pid" or b'"pid"' not in line):
            return first[2] in keys
        return any((text or number) in keys or b"\\" in text for text, number in _IDS.findall(line))

    return wanted


def _read_texts(
    content: Content, fields: _Fields, keep: Callable[[bytes], bool] | None = None
) -> Iterator[Text]:
    for number, line in numbered_lines(content):
        if keep is not None and not keep(line):
            continue
        yield _text_from_line(content.name, number, line, fields)


def _text_from_line(name: str, number: int, line: bytes, fields: _Fields) -> Text:
    try:
        if line.lstrip().startswith(b"{"):
            return _text_from_json(name, number, line, fields)
        return _text_from_tsv(name, number, line, fields)
    except InvalidFile:
        raise
    except Exception as fault:
        raise ReaderFailed(name, number, fault) from fault


def _text_from_tsv(name: str, number: int, line: bytes, fields: _Fields) -> Text:
    id, tab, text = line_text(name, number, line).partition("\t")
    if not tab:
        other = run_or_labels(line.split()) or ""
        raise fields.refusal(name, number, "the line has no tab between an id and a text.", other)
    return _checked_text(name, number, id.strip(), text.strip(), fields)


def _text_from_json(name: str, number: int, line: bytes, fields: _Fields, need_text: bool = True) -> Text:
    try:
        record: Any = json.loads(line_text(name, number, line))
    except ValueError as error:
        raise fields.refusal(name, number, f"the line is not JSON ({error}).") from None
    except RecursionError:
        raise fields.refusal(name, number, "the line is JSON that is nested too deeply.") from None
    if not isinstance(record, dict):
        raise fields.refusal(name, number, "the line is not a JSON object.")
    id = next((record[field] for field in fields.ids if field in record), None)
    if not isinstance(id, str | int) or isinstance(id, bool):
        other = texts_of_another_kind(record, passages=fields is _PASSAGE)
        raise fields.refusal(
            name,
            number,
            f"the line has no id. Expected in one of these fields: {', '.join(fields.ids)}.",
            other,
        )
    text = next((record[field] for field in fields.texts if field in record), None)
    if not isinstance(text, str):
        if need_text:
            raise fields.refusal(
                name,
                number,
                f"the line has no text. Expected in one of these fields: {', '.join(fields.texts)}.",
            )
        text = ""
    title = record.get("title")
    if fields is _PASSAGE and isinstance(title, str) and title.strip():
        text = f"{title.strip()}\n{text}"
    return _checked_text(name, number, str(id), text.strip(), fields)


def _checked_text(name: str, number: int, id: str, text: str, fields: _Fields) -> Text:
    if not id or any(character.isspace() for character in id):
        quoted = quoted_field(id.encode("utf-8", "replace"))
        raise fields.refusal(name, number, f"the id {quoted} is empty or contains whitespace.")
    if len(id.encode("utf-8", "replace")) > fields.longest:
        raise fields.refusal(name, number, f"the id is longer than {fields.longest} bytes.")
    if len(text) > fields.longest_text:
        raise fields.refusal(
            name, number, f"the text is longer than {fields.longest_text:,} characters.", "Shorten the text."
        )
    try:
        (id + text).encode()
    except UnicodeEncodeError:
        raise fields.refusal(
            name, number, "the line contains half of a surrogate pair, which is not a character."
        ) from None
    if "\x00" in id + text:
        raise fields.refusal(name, number, "the line contains a NUL character.")
    return Text(number, id, text)
