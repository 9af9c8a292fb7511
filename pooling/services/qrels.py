from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from config.guidance import Guidance, Option
from pooling import trec
from pooling.errors import AlreadyImported
from pooling.formats import Progress
from pooling.models import Collection, Qrel, QrelSet
from pooling.services import bulk, passages
from pooling.services.finding import known_qids
from pooling.services.growth import most_bytes_of
from pooling.services.naming import check_name


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

    If the set is ``withheld``, non-members see only scores (``pooling.services.withholding``). Without ``kind``, a
    set with grades above 1 is graded, any other set official. Raises InvalidQrelFile, UnknownQueries,
    AlreadyImported; then nothing is imported.
    """
    check_name(set_name)
    refuse_taken_set_name(collection, set_name)
    labels = trec.read_qrel_file(
        path,
        name=name,
        known_qids=known_qids(collection),
        skip_unknown=skip_unknown,
        max_bytes=most_bytes_of(path),
        progress=progress,
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
    """Store labels that were read and checked as a new qrel set, as ``import_qrels`` does. Raises AlreadyImported."""
    check_name(set_name)
    refuse_taken_set_name(collection, set_name)
    query_keys = dict(collection.queries.values_list("qid", "pk"))
    kind = kind or (QrelSet.Kind.GRADED if (labels.grade > 1).any() else QrelSet.Kind.OFFICIAL)
    try:
        with transaction.atomic():
            qrel_set = QrelSet.objects.create(
                collection=collection,
                name=set_name,
                kind=kind,
                min_grade=min_grade,
                sha256=labels.sha256,
                withheld=withheld,
            )
            passage_keys = passages.record_passages(collection, labels.pids)
            bulk.insert(
                Qrel,
                ("qrel_set_id", "query_id", "passage_id", "grade", "position"),
                _qrel_rows(qrel_set, labels, query_keys, passage_keys),
            )
    except IntegrityError:
        refuse_taken_set_name(collection, set_name)
        raise
    relevant = int((labels.grade >= min_grade).sum())
    return ImportedQrels(qrel_set, len(labels), len(labels.qids), relevant, labels.skipped)


def _qrel_rows(
    qrel_set: QrelSet, labels: trec.Qrels, query_keys: dict[str, int], passage_keys: dict[str, int]
) -> Iterator[tuple[int, int, int, int, int]]:
    keys = [query_keys[qid] for qid in labels.qids]
    columns = zip(labels.query.tolist(), labels.pids, labels.grade.tolist(), strict=True)
    for position, (query, pid, grade) in enumerate(columns):
        yield qrel_set.pk, keys[query], passage_keys[pid], grade, position


def refuse_taken_set_name(collection: Collection, name: str) -> None:
    """Raise AlreadyImported if the collection has a qrel set of this name."""
    if collection.qrel_sets.filter(name=name).exists():
        raise AlreadyImported(
            f"Collection {collection.name} already has a qrel set {name!r}.",
            Guidance("Choose another name with ", Option("set"), "."),
        )
