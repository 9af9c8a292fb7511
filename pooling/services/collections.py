"""Make collections."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction

from pooling.errors import AlreadyImported
from pooling.formats import Content, Progress
from pooling.models import Collection, Query
from pooling.services import bulk, passages
from pooling.services.naming import check_name
from pooling.services.qrels import ImportedQrels, import_qrels
from pooling.texts import read_queries


@dataclass(frozen=True)
class ImportedCollection:
    """A collection that was made."""

    collection: Collection
    queries: int
    sources: int
    qrels: ImportedQrels | None


def import_collection(
    *,
    name: str,
    queries: Path,
    passage_files: list[Path] | None = None,
    qrels: Path | None = None,
    description: str = "",
    progress: Progress | None = None,
) -> ImportedCollection:
    """Make a collection of a query file, register passage files as its sources, and import qrels as ``official``.

    All or nothing. Raises AlreadyImported, InvalidFile.
    """
    check_name(name)
    if Collection.objects.filter(name=name).exists():
        raise _taken(name)
    found = read_queries(Content(queries, "", settings.MAX_DECOMPRESSED_BYTES, progress))
    examined = [passages.examine(path, progress) for path in passage_files or []]
    try:
        with transaction.atomic():
            collection = Collection.objects.create(name=name, description=description)
            rows = ((collection.pk, query.id, query.text, place) for place, query in enumerate(found))
            bulk.insert(Query, ("collection_id", "qid", "text", "position"), rows)
            for source in examined:
                passages.register(collection, source)
            official = None
            if qrels is not None:
                official = import_qrels(
                    collection=collection, path=qrels, set_name="official", progress=progress
                )
    except IntegrityError:
        if Collection.objects.filter(name=name).exists():
            raise _taken(name) from None
        raise
    return ImportedCollection(collection, len(found), len(examined), official)


def _taken(name: str) -> AlreadyImported:
    return AlreadyImported(f"There already is a collection {name!r}.", "Choose another name.")
