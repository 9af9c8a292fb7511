from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from config.guidance import Guidance, Option
from pooling.collections.lookups import known_qids
from pooling.collections.name_rules import check_name
from pooling.errors import AlreadyImported
from pooling.files import trec
from pooling.files.formats import Progress
from pooling.models import Collection, Qrel, QrelSet
from pooling.passages import passages
from pooling.storage import bulk
from pooling.storage.decompressed_size import content_of


@dataclass(frozen=True)
class ImportedQrels:
    qrel_set: QrelSet
    labels: int
    queries: int
    relevant: int
    """Number of labels at or above the set's threshold."""
    skipped: tuple[str, ...]


def import_qrels(
    *,
    collection: Collection,
    path: Path,
    set_name: str,
    min_grade: int = 1,
    kind: str = "",
    skip_unknown: bool = False,
    withheld: bool = False,
    name: str = "",
    progress: Progress | None = None,
) -> ImportedQrels:
    """Import labels as a new qrel set. ``min_grade`` is the lowest relevant grade.

    If the set is ``withheld``, non-members see only scores (withheld_labels.py). Without ``kind``, a
    set with grades above 1 is graded, any other set official. Raises InvalidFile, AlreadyImported,
    and PoolingError for an invalid name; then nothing is imported.
    """
    check_name(set_name)
    refuse_taken_set_name(collection, set_name)
    labels = trec.read_qrel_file(
        content_of(path, name, progress), known_qids=known_qids(collection), skip_unknown=skip_unknown
    )
    return store_labels(
        labels, collection=collection, set_name=set_name, min_grade=min_grade, kind=kind, withheld=withheld
    )


def store_labels(
    labels: trec.Qrels,
    *,
    collection: Collection,
    set_name: str,
    min_grade: int = 1,
    kind: str = "",
    withheld: bool = False,
) -> ImportedQrels:
    """Store checked labels as a new qrel set, as ``import_qrels`` does. Raises AlreadyImported."""
    check_name(set_name)
    refuse_taken_set_name(collection, set_name)
    qrel_set = QrelSet(
        collection=collection,
        name=set_name,
        kind=kind or (QrelSet.Kind.GRADED if (labels.grade > 1).any() else QrelSet.Kind.OFFICIAL),
        min_grade=min_grade,
        sha256=labels.sha256,
        withheld=withheld,
    )
    rows = zip(labels.query.tolist(), labels.pids, labels.grade.tolist(), strict=True)
    store_qrel_set(qrel_set, [(labels.qids[query], pid, grade, "") for query, pid, grade in rows])
    relevant = int((labels.grade >= min_grade).sum())
    return ImportedQrels(qrel_set, len(labels), len(labels.qids), relevant, labels.skipped)


def store_qrel_set(qrel_set: QrelSet, labels: Sequence[tuple[str, str, int, str]]) -> None:
    """Save a new qrel set with its labels, all or nothing.

    Each label is (qid, pid, grade, source). The source is the pid of the passage behind a document's label, else "".
    Raises AlreadyImported for a name that another request has just taken.
    """
    collection = qrel_set.collection
    queries = dict(collection.queries.values_list("qid", "pk"))
    columns = ("qrel_set_id", "query_id", "passage_id", "grade", "position", "source_pid")
    try:
        with transaction.atomic():
            qrel_set.save()
            keys = passages.record_passages(collection, (pid for _, pid, *_ in labels))
            rows = (
                (qrel_set.pk, queries[qid], keys[pid], grade, position, source)
                for position, (qid, pid, grade, source) in enumerate(labels)
            )
            bulk.insert(Qrel, columns, rows)
    except IntegrityError:
        refuse_taken_set_name(collection, qrel_set.name)
        raise


def refuse_taken_set_name(collection: Collection, name: str) -> None:
    """Raise AlreadyImported if the collection has a qrel set of this name."""
    if collection.qrel_sets.filter(name=name).exists():
        raise AlreadyImported(
            f"Collection {collection.name} already has a qrel set {name!r}.",
            Guidance("Choose another name with ", Option("set"), "."),
        )
