"""Recognize a run, labels or texts where another kind of file is expected, and say where to upload them."""

import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from config.guidance import Action, Guidance

#: If queries have at least this many words, and are this many times as long as the passages, they look swapped.
SHORTEST_PASSAGE, TIMES_LONGER = 15, 3
SEND_PASSAGES = "This looks like queries. Send the file that contains the passages."
_INTEGER = re.compile(rb"-?\d+")
_NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def where_it_belongs(fields: Sequence[bytes]) -> Guidance | str:
    """Return what the file seems to be, judging by the fields of a line, and how to fix or upload it.

    Returns "" if the line suggests no other kind of file.
    """
    if fields[0][:1] in (b"{", b"["):
        return "This looks like JSON. Separate the columns by spaces or tabs, with one line for each passage."
    if len(fields) == 1 and fields[0].count(b",") > 1:
        return "The columns seem to be separated by commas. Separate them by spaces or tabs."
    if found := run_or_labels(fields):
        return found
    if len(fields) == 6 and fields[1] == b"Q0":
        return ""
    if len(fields) > 6 or (len(fields) > 1 and not any(_NUMBER.fullmatch(field) for field in fields[1:])):
        return Guidance(
            "This looks like queries or passages: an id and a text. ", Action("fetch_passages"), "."
        )
    return ""


def run_or_labels(fields: Sequence[bytes]) -> Guidance | None:
    """Return where to upload the file if this line's fields look like labels or a TREC run, else None."""
    if len(fields) == 4 and _INTEGER.fullmatch(fields[3]):
        return Guidance("This looks like relevance labels (qrels). ", Action("import_qrels"), ".")
    if len(fields) == 6 and _INTEGER.fullmatch(fields[3]) and _NUMBER.fullmatch(fields[4]):
        return Guidance("This looks like a TREC run. ", Action("import_runs"), ".")
    return None


def texts_of_another_kind(record: Mapping[str, Any], *, passages: bool) -> Guidance | str:
    """Return advice if a JSON line has a query's id where a passage's is expected, or vice versa; otherwise ""."""
    if passages:
        return SEND_PASSAGES if record.keys() & {"qid", "query_id"} else ""
    if record.keys() & {"pid", "docid", "passage_id"}:
        return Guidance("This looks like passages. ", Action("fetch_passages"), ".")
    return ""


def look_swapped(queries: Sequence[str], passages: Sequence[str]) -> bool:
    """Return whether the texts of queries and passages seem to be swapped, judging by their median lengths."""
    if not (queries and passages):
        return False
    long, short = (median(len(text.split()) for text in texts) for texts in (queries, passages))
    return long >= SHORTEST_PASSAGE and long >= TIMES_LONGER * short
