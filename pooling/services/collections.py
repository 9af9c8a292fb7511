from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from pooling.errors import AlreadyImported
from pooling.formats import Content, Progress
from pooling.models import Collection, Query
from pooling.services import bulk, passages
from pooling.services.growth import most_bytes_of
from pooling.services.members import log
from pooling.services.naming import check_language, check_name
from pooling.services.qrels import ImportedQrels, import_qrels
from pooling.texts import read_query_file


@dataclass(frozen=True)
class ImportedCollection:
    collection: Collection
    queries: int
    sources: int
    qrels: ImportedQrels | None


def import_collection(
    *,
    name: str,
    queries: Path,
    passage_files: list[Path] | None = None,
    examined: list[passages.Source] | None = None,
    qrels: Path | None = None,
    min_grade: int = 1,
    skip_unknown: bool = False,
    title: str = "",
    description: str = "",
    license: str = "",
    citation: str = "",
    language: str = "en",
    names: Mapping[Path, str] | None = None,
    progress: Progress | None = None,
) -> ImportedCollection:
    """Create a collection from a query file, register passage files as its sources, and import qrels as ``official``.

    ``language``: a BCP 47 tag; workers' pages use it for speech and line breaks. ``min_grade``: of the qrels.
    ``skip_unknown``: leave out labels of queries that are not in the query file. ``names``: the users' names of
    stored files, for errors. ``examined``: passage files that were already read, in place of ``passage_files``. All
    or nothing. Raises AlreadyImported, InvalidFile, and PoolingError for an invalid name or language.
    """
    names = names or {}
    check_name(name)
    check_language(language)
    refuse_taken_collection_name(name)
    found = read_query_file(Content(queries, names.get(queries, ""), most_bytes_of(queries), progress))
    given = passage_files or []
    examined = examined or [passages.examine(path, progress, name=names.get(path, "")) for path in given]
    try:
        with transaction.atomic():
            collection = Collection.objects.create(
                name=name,
                title=title,
                description=description,
                license=license,
                citation=citation,
                language=language,
            )
            rows = ((collection.pk, query.id, query.text, place) for place, query in enumerate(found))
            bulk.insert(Query, ("collection_id", "qid", "text", "position"), rows)
            for source in examined:
                passages.register_source(collection, source)
            official = None
            if qrels is not None:
                official = import_qrels(
                    collection=collection,
                    path=qrels,
                    set_name="official",
                    min_grade=min_grade,
                    skip_unknown=skip_unknown,
                    name=names.get(qrels, ""),
                    progress=progress,
                )
    except IntegrityError:
        refuse_taken_collection_name(name)
        raise
    return ImportedCollection(collection, len(found), len(examined), official)


def refuse_taken_collection_name(name: str) -> None:
    """Raise AlreadyImported if there is a collection of this name."""
    if Collection.objects.filter(name=name).exists():
        raise AlreadyImported(f"A collection {name!r} already exists.", "Choose another name.")


def set_language(collection: Collection, language: str, *, who: str = "") -> str:
    """Set the language of the queries and passages; return the previous one.

    Workers' pages use it immediately, including in running campaigns. Raises PoolingError for an invalid tag.
    """
    check_language(language)
    before: str = collection.language
    if language != before:
        collection.language = language
        with transaction.atomic():
            collection.save(update_fields=["language"])
            log(collection, f"language {language}, was {before}", who=who)
    return before
