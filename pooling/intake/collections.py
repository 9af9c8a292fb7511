from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from pooling.collections.collection_details import change_fields
from pooling.collections.name_rules import check_language, check_name
from pooling.errors import AlreadyImported
from pooling.files import trec
from pooling.files.formats import Content, Progress
from pooling.files.texts import Text, read_query_file
from pooling.labels.qrels import ImportedQrels, store_labels
from pooling.models import Collection, PassageSource, Query
from pooling.passages import passages
from pooling.passages.swapped_texts import refuse_repeated_queries, refuse_swapped_texts
from pooling.storage import bulk
from pooling.storage.decompressed_size import content_of


@dataclass(frozen=True)
class ImportedCollection:
    collection: Collection
    queries: int
    sources: int
    qrels: ImportedQrels | None


@dataclass(frozen=True)
class CollectionFiles:
    """The files of a new collection, read and checked."""

    queries: Sequence[Text]
    sources: Sequence[tuple[str, PassageSource]]
    """Passage sources as (name, source). Errors show the name instead of the path; it is empty for files that were
    named in the terminal."""
    labels: trec.Qrels | None = None


def import_collection(
    *,
    name: str,
    queries: Path,
    passage_files: Sequence[Path] = (),
    qrels: Path | None = None,
    min_grade: int = 1,
    skip_unknown: bool = False,
    progress: Progress | None = None,
    language: str = "en",
    **described: str,
) -> ImportedCollection:
    """Create a collection from a query file, register passage files as its sources, and import qrels as ``official``.

    ``language``: a BCP 47 tag; workers' pages use it for speech and line breaks. ``min_grade``: the lowest
    relevant grade. ``skip_unknown``: leave out labels of queries that are not in the query file. ``described``:
    title, description, license and citation of the collection. All or nothing. Raises AlreadyImported, InvalidFile,
    and PoolingError for an invalid name or language.
    """
    check_new(name, language)
    files = read_collection_files(
        content_of(queries, progress=progress),
        [("", passages.examine(content_of(path, progress=progress))) for path in passage_files],
        None if qrels is None else content_of(qrels, progress=progress),
        skip_unknown=skip_unknown,
    )
    return store_collection(files, name=name, min_grade=min_grade, language=language, **described)


def read_collection_files(
    queries: Content,
    sources: Sequence[tuple[str, PassageSource]],
    qrels: Content | None,
    *,
    skip_unknown: bool,
) -> CollectionFiles:
    """Read the queries and labels of a new collection. Raises InvalidFile."""
    found = read_query_file(queries)
    passage_files = [content_of(Path(source.path), name) for name, source in sources]
    refuse_swapped_texts(found, queries.name, passage_files)
    labels = None
    if qrels is not None:
        known = {query.id for query in found}
        labels = trec.read_qrel_file(qrels, known_qids=known, skip_unknown=skip_unknown)
    refuse_repeated_queries(found, passage_files, labels.pids if labels else ())
    return CollectionFiles(found, sources, labels)


def store_collection(
    files: CollectionFiles, *, name: str, min_grade: int = 1, language: str = "en", **described: str
) -> ImportedCollection:
    """Create a collection from files that were read and checked, as ``import_collection`` does. All or nothing."""
    check_new(name, language)
    try:
        with transaction.atomic():
            collection = Collection.objects.create(name=name, language=language, **described)
            rows = ((collection.pk, query.id, query.text, place) for place, query in enumerate(files.queries))
            bulk.insert(Query, ("collection_id", "qid", "text", "position"), rows)
            for called, source in files.sources:
                passages.register_source(collection, source, name=called)
            official = None
            if files.labels is not None:
                official = store_labels(
                    files.labels, collection=collection, set_name="official", min_grade=min_grade
                )
    except IntegrityError:
        refuse_taken_collection_name(name)
        raise
    return ImportedCollection(collection, len(files.queries), len(files.sources), official)


def check_new(name: str, language: str = "en") -> None:
    """Raise PoolingError for an invalid name or language, and AlreadyImported for a name that is taken."""
    check_name(name)
    check_language(language)
    refuse_taken_collection_name(name)


def refuse_taken_collection_name(name: str) -> None:
    """Raise AlreadyImported if there is a collection of this name."""
    if Collection.objects.filter(name=name).exists():
        raise AlreadyImported(f"A collection {name!r} already exists.", "Choose another name.")


def set_language(collection: Collection, language: str, *, who: str = "") -> str:
    """Set the language of the queries and passages; return the previous language.

    Workers' pages use it immediately, including in running campaigns. Raises PoolingError for an invalid tag.
    """
    check_language(language)
    before: str = collection.language
    if language != before:
        change_fields(collection, f"language {language}, was {before}", who=who, language=language)
    return before
