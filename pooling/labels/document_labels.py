"""Derive document labels from passage labels: a document's label is the highest label of its passages.

Near-duplicates of a labeled passage also have its label, and pass it on to their own documents, as in the TREC 2022
Deep Learning track (Craswell et al., *Overview*).
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from config.guidance import Guidance, Option
from config.plurals import many
from pooling.collections.name_rules import check_name
from pooling.errors import EmptyFile, InvalidFile, NotFound, UnmappedLabels
from pooling.files.formats import Progress, line_text, numbered_lines
from pooling.files.line_blocks import LONGEST
from pooling.labels.qrels import refuse_taken_set_name, store_qrel_set
from pooling.models import QrelSet
from pooling.passages.clusters import canonical_of, members_of
from pooling.storage.decompressed_size import content_of

#: The maximum number of passages without a document that a refusal lists.
MOST_LISTED = 5
#: A function that takes a pid and returns the id of the passage's document, or None for a passage without one.
DocumentOf = Callable[[str], str | None]


@dataclass(frozen=True)
class DocumentLabel:
    """A document's grade for a query, and the passage that the grade is taken from."""

    qid: str
    document: str
    grade: int
    passage: str


@dataclass(frozen=True)
class MappedLabels:
    """The new qrel set, and counts of its labels.

    ``duplicates``: the number of labels that come from a near-duplicate without a label of its own.
    """

    qrel_set: QrelSet
    labels: int
    relevant: int
    duplicates: int


def documents_in_file(path: Path, *, name: str = "", progress: Progress | None = None) -> dict[str, str]:
    """Read pid → document from a file with a pid and a document on each line. Raises InvalidFile."""
    content = content_of(path, name, progress)
    found: dict[str, str] = {}
    for number, line in numbered_lines(content):
        fields = line_text(content.name, number, line).split()
        if not fields:
            continue
        if len(fields) != 2:
            raise InvalidFile(content.name, number, "expected two columns: passage and document.")
        if found.setdefault(*fields) != fields[1]:
            raise InvalidFile(
                content.name,
                number,
                f"passage {fields[0]} has document {found[fields[0]]!r} on an earlier line.",
            )
    if not found:
        raise EmptyFile(content.name, 0, "the file has no passages.")
    return found


def before_last(separator: str) -> DocumentOf:
    """Return a function that takes a pid and returns the part before the last ``separator`` as the document's id."""

    def document_of(pid: str) -> str | None:
        document, found, _ = pid.rpartition(separator)
        return document if found and document else None

    return document_of


def highest_grades(
    labels: Iterable[tuple[str, str, int]], alike: Mapping[str, Iterable[str]], document_of: DocumentOf
) -> list[DocumentLabel]:
    """Return each document's highest grade for each query, in order of queries and documents.

    ``labels``: (qid, pid, grade). ``alike``: pid → its near-duplicates. Each result names the passage with that
    grade. If there are several, a labeled passage is preferred to a near-duplicate, then the lowest pid.
    """
    best: dict[tuple[str, str], tuple[int, bool, str]] = {}
    order: dict[str, int] = {}
    for qid, pid, grade in labels:
        order.setdefault(qid, len(order))
        for one in (pid, *(other for other in alike.get(pid, ()) if other != pid)):
            document = document_of(one)
            if document is None:
                continue
            found = (-grade, one != pid, one)
            best[qid, document] = min(best.get((qid, document), found), found)
    ordered = sorted(best, key=lambda key: (order[key[0]], key[1]))
    return [DocumentLabel(*key, -best[key][0], best[key][2]) for key in ordered]


def map_labels(
    *, qrel_set: QrelSet, document_of: DocumentOf, set_name: str, min_grade: int = 1
) -> MappedLabels:
    """Store the document labels as a new qrel set, withheld if the passage labels are.

    Raises AlreadyImported if the name is taken. Raises UnmappedLabels if a labeled passage has no document, if a
    document's id is invalid, if ``qrel_set`` itself consists of document labels, or if no label reaches
    ``min_grade``. Then nothing is stored.
    """
    collection = qrel_set.collection
    check_name(set_name)
    _refuse_documents(qrel_set)
    refuse_taken_set_name(collection, set_name)
    rows = qrel_set.qrels.order_by("position").values_list("query__qid", "passage__pid", "grade")
    labels = [(qid, pid, grade) for qid, pid, grade in rows.iterator(chunk_size=5000)]
    pids = {pid for _, pid, _ in labels}
    _refuse_grade(min_grade, max((grade for *_, grade in labels), default=0), qrel_set)
    _refuse_unmapped(pids, document_of)
    canonical = canonical_of(collection, sorted(pids))
    classes = members_of(collection, sorted(set(canonical.values())))
    mapped = highest_grades(labels, {pid: classes[first] for pid, first in canonical.items()}, document_of)
    _refuse_bad_ids(mapped)
    lines = "".join(f"{one.qid} 0 {one.document} {one.grade}\n" for one in mapped)
    stored = QrelSet(
        collection=collection,
        name=set_name,
        kind=qrel_set.kind,
        min_grade=min_grade,
        sha256=hashlib.sha256(lines.encode()).hexdigest(),
        withheld=qrel_set.withheld,
        mapped_from=qrel_set,
    )
    store_qrel_set(stored, [(one.qid, one.document, one.grade, one.passage) for one in mapped])
    relevant = sum(one.grade >= min_grade for one in mapped)
    return MappedLabels(stored, len(mapped), relevant, sum(one.passage not in pids for one in mapped))


def _refuse_documents(qrel_set: QrelSet) -> None:
    if qrel_set.mapped_from is not None:
        raise UnmappedLabels(
            f"The labels {qrel_set.name} are already labels of documents.",
            f"Choose the labels of passages, such as {qrel_set.mapped_from.name}.",
        )


def _refuse_grade(min_grade: int, highest: int, qrel_set: QrelSet) -> None:
    if min_grade > highest:
        raise UnmappedLabels(
            f"No document would be relevant: the highest grade of the labels {qrel_set.name} is {highest}.",
            Guidance("Choose that grade or a lower one as ", Option("min-grade"), "."),
        )


def _refuse_bad_ids(mapped: Iterable[DocumentLabel]) -> None:
    """Refuse document ids that cannot be written to a qrels file."""
    for one in mapped:
        if one.document.split() != [one.document] or len(one.document.encode()) > LONGEST["pid"]:
            raise UnmappedLabels(
                f"{one.document[:80]!r} is not a valid document id (passage {one.passage}).",
                f"An id contains no whitespace and has at most {LONGEST['pid']} bytes.",
            )


def _refuse_unmapped(pids: set[str], document_of: DocumentOf) -> None:
    without = sorted(pid for pid in pids if document_of(pid) is None)
    if without:
        more = f" and {len(without) - MOST_LISTED:,} more" if len(without) > MOST_LISTED else ""
        raise UnmappedLabels(
            f"{many(len(without), 'labeled passage has', 'labeled passages have')} no document: "
            f"{', '.join(without[:MOST_LISTED])}{more}.",
            Guidance("Add them to the file, or choose another ", Option("before"), "."),
        )


def provenance_of(qrel_set: QrelSet) -> Iterator[DocumentLabel]:
    """Return the labels of a set created by :func:`map_labels`, each with the passage that it is taken from.

    Raises NotFound for other sets.
    """
    if qrel_set.mapped_from_id is None:
        raise NotFound(f"The labels {qrel_set.name} were not derived from labels of passages.")
    rows = qrel_set.qrels.order_by("position")
    fields = rows.values_list("query__qid", "passage__pid", "grade", "source_pid")
    return (DocumentLabel(*row) for row in fields.iterator(chunk_size=5000))
