"""Record passages, register the files that contain their texts, and fetch needed texts."""

import json
from collections.abc import Collection as Group, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
from django.db import transaction

from config.guidance import Action, Guidance
from pooling.errors import AlreadyImported, NotFound, UnreadableContent
from pooling.files.formats import Content, Progress
from pooling.files.texts import Text, format_of, read_passages
from pooling.models import Collection, Passage, PassageSource
from pooling.passages import clusters
from pooling.passages.swapped_texts import refuse_own_queries
from pooling.rules.passage_text import class_key
from pooling.storage import bulk
from pooling.storage.decompressed_size import content_of
from pooling.storage.ranking_files import ranking_of

KEYS_A_QUERY = 10_000
#: The number of top passages, for each query of a run, whose texts can be fetched without a pool.
TOPS_READ = 10
FILL = (
    "(collection_id, pid) DO UPDATE SET text = excluded.text, class_key = excluded.class_key "
    "WHERE pooling_passage.text IS NULL"
)


@dataclass(frozen=True)
class Fetched:
    """The result of fetching texts: the number of passages that needed one, and the number of texts found."""

    wanted: int
    found: int
    missing: tuple[str, ...]
    """Pids of the passages that no source contains; all requested passages if there is no source."""


def examine(content: Content) -> PassageSource:
    """Read a whole passage file, and return it as a source that is not registered yet. Raises InvalidFile."""
    format = format_of(content.again())
    for _ in content.blocks():
        pass
    return PassageSource(
        path=str(content.path.resolve()),
        format=format,
        sha256=content.sha256,
        size_bytes=content.path.stat().st_size,
    )


def register_source(collection: Collection, source: PassageSource, *, name: str = "") -> PassageSource:
    """Register a file as a source of the collection's texts. Raises AlreadyImported.

    ``name``: the sender's name for an uploaded file, used in errors.
    """
    registered, new = PassageSource.objects.get_or_create(
        collection=collection,
        sha256=source.sha256,
        defaults={"path": source.path, "format": source.format, "size_bytes": source.size_bytes},
    )
    if not new:
        held = "a passage file" if name else registered.path
        raise AlreadyImported(
            f"{name or source.path} has the same content as {held}, which is already a source of {collection.name}.",
            "Leave it out.",
        )
    return registered


def add_sources(
    *, collection: Collection, paths: Iterable[Path], progress: Progress | None = None
) -> list[PassageSource]:
    """Register more passage files as sources of the collection's texts, all or none."""
    examined = [examine(content_of(path, progress=progress)) for path in paths]
    refuse_own_queries(collection, [content_of(Path(one.path)) for one in examined])
    with transaction.atomic():
        return [register_source(collection, source) for source in examined]


def record_passages(collection: Collection, pids: Iterable[str]) -> dict[str, int]:
    """Create the missing rows of these passages. Returns pid → primary key for all of them."""
    distinct = list(dict.fromkeys(pids))
    keys_of = clusters.keys_of(collection, distinct)
    rows = ((collection.pk, pid, None, keys_of.get(pid, "")) for pid in distinct)
    bulk.insert(Passage, ("collection_id", "pid", "text", "class_key"), rows)
    keys: dict[str, int] = {}
    for some in bulk.parts(distinct, KEYS_A_QUERY):
        keys.update(collection.passages.filter(pid__in=some).values_list("pid", "pk"))
    return keys


def ensure(
    *, collection: Collection, pids: Iterable[str], progress: Progress | None = None
) -> dict[str, Passage]:
    """Return pid → passage. Creates missing rows, and fetches missing texts that a source has."""
    distinct = list(dict.fromkeys(pids))
    record_passages(collection, distinct)
    without = [passage.pid for passage in _in_batches(collection, distinct) if passage.text is None]
    if without and collection.sources.exists():
        fetch(collection=collection, pids=without, progress=progress)
    return {passage.pid: passage for passage in _in_batches(collection, distinct)}


def record_tops(collection: Collection, *, progress: Progress | None = None) -> None:
    """Create rows for the top passages of every run, so that ``fetch_missing`` finds their texts."""
    recorded: set[str] = set()
    runs = collection.runs.order_by("pk")
    total = runs.count()
    for number, run in enumerate(runs.iterator(), 1):
        top = ranking_of(run, TOPS_READ).top(TOPS_READ)
        codes: npt.NDArray[np.int64] = np.unique(top.passages)
        fresh = set(top.spell(codes)) - recorded
        for pids in bulk.parts(fresh, bulk.BATCH):
            record_passages(collection, pids)
        recorded |= fresh
        if progress is not None:
            progress(number, total)


def fetch_missing(*, collection: Collection, progress: Progress | None = None) -> Fetched:
    """Fetch the text of every recorded passage, and of every run's top passages, that has none yet.

    Without a source, the top passages are not recorded.
    """
    if collection.sources.exists():
        record_tops(collection, progress=progress)
    without = collection.passages.filter(text__isnull=True).values_list("pid", flat=True)
    return fetch(collection=collection, pids=list(without), progress=progress)


def fetch(*, collection: Collection, pids: Group[str], progress: Progress | None = None) -> Fetched:
    """Fetch the texts of recorded passages in one streaming pass over the sources.

    The first source that contains a passage provides its text; existing texts stay. The pass ends early once
    everything is found.
    """
    wanted = set(pids)
    for source in collection.sources.order_by("pk"):
        if not wanted:
            break
        wanted -= _store_texts(collection, _texts_in_source(source, wanted, progress))
    return Fetched(len(set(pids)), len(set(pids)) - len(wanted), tuple(sorted(wanted)))


def _store_texts(collection: Collection, texts: Iterator[Text]) -> set[str]:
    """Store the texts, all or none; return their pids. Only one batch of texts is in memory."""
    found: set[str] = set()
    first = list(islice(texts, bulk.BATCH))  # often all texts: then no transaction is open while reading
    rows = _passage_rows(collection, _noting_pids(chain(first, texts), found))
    bulk.insert(Passage, ("collection_id", "pid", "text", "class_key"), rows, FILL)
    return found


def _noting_pids(texts: Iterable[Text], found: set[str]) -> Iterator[Text]:
    for text in texts:
        found.add(text.id)
        yield text


def read_texts(
    *,
    collection: Collection,
    pids: Iterable[str],
    fresh: Iterable[PassageSource],
    into: IO[str],
    progress: Progress | None = None,
) -> None:
    """Write missing texts, of recorded passages and of ``pids``, to a file that :func:`store_read_texts` reads.

    Texts are taken from the registered sources first, then from the ``fresh`` ones. No transaction is open while
    sources are read.
    """
    wanted = {*collection.passages.filter(text__isnull=True).values_list("pid", flat=True), *pids}
    for some in bulk.parts(list(wanted), KEYS_A_QUERY):
        known = collection.passages.filter(pid__in=some, text__isnull=False)
        wanted.difference_update(known.values_list("pid", flat=True))
    for source in chain(collection.sources.order_by("pk"), fresh):
        source.collection = collection  # A fresh source is not registered yet, so it has no collection.
        found = set()
        for text in _texts_in_source(source, wanted, progress) if wanted else ():
            into.write(f"{json.dumps((text.line, text.id, text.text))}\n")
            found.add(text.id)
        wanted -= found


def store_read_texts(*, collection: Collection, file: IO[str]) -> Fetched:
    """Store texts from the file for recorded passages that have no text yet."""
    without = set(collection.passages.filter(text__isnull=True).values_list("pid", flat=True))
    file.seek(0)
    texts = (Text(*json.loads(line)) for line in file)
    found = _store_texts(collection, (text for text in texts if text.id in without))
    return Fetched(len(without), len(found), tuple(sorted(without - found)))


def fetch_all(*, collection: Collection, progress: Progress | None = None) -> int:
    """Store every text of every source, each source all or nothing. Returns how many passages now have a text."""
    if not collection.sources.exists():
        raise NotFound(
            f"Collection {collection.name} has no passage source.",
            Action("fetch_passages", collection.name, "--passages FILE", lead="Add the passage files"),
        )
    for source in collection.sources.order_by("pk"):
        with transaction.atomic():
            rows = _passage_rows(collection, _texts_in_source(source, None, progress))
            bulk.insert(Passage, ("collection_id", "pid", "text", "class_key"), rows, FILL)
    return collection.passages.filter(text__isnull=False).count()


def first_texts(collection: Collection, most: int) -> Iterator[Text]:
    """Yield the first ``most`` texts in the collection's sources, in file order."""
    sources = collection.sources.order_by("pk")
    yield from islice((text for source in sources for text in _texts_in_source(source, None, None)), most)


def have_any(collection: Collection, pids: set[str]) -> bool:
    """Return whether the collection's sources have any of these passages."""
    sources = collection.sources.order_by("pk")
    return any(True for source in sources for _ in _texts_in_source(source, pids, None))


def all_texts(collection: Collection, progress: Progress | None = None) -> Iterator[tuple[str, str]]:
    """Yield (pid, text) of every passage in the sources, or of the recorded passages if there are no sources.

    ``progress`` is called with the bytes read of a source and its size.
    """
    if collection.sources.exists():
        for source in collection.sources.order_by("pk"):
            yield from ((text.id, text.text) for text in _texts_in_source(source, None, progress))
        return
    recorded = collection.passages.filter(text__isnull=False).order_by("pk").values_list("pid", "text")
    yield from ((pid, text or "") for pid, text in recorded.iterator(chunk_size=KEYS_A_QUERY))


def _texts_in_source(
    source: PassageSource, wanted: set[str] | None, progress: Progress | None
) -> Iterator[Text]:
    """Yield the wanted texts of a source, each once (None: every text of the file).

    Refuses a file that is missing or has another size than when it was registered. Other changes are refused after
    the last line, if the file is read to its end.
    """
    path = Path(source.path)
    if not path.exists() or path.stat().st_size != source.size_bytes:
        raise _source_changed(source)
    content = content_of(path, progress=progress)
    left = None if wanted is None else set(wanted)
    for text in read_passages(content, source.format, wanted):
        if left is not None:
            if text.id not in left:
                continue
            left.discard(text.id)
        yield text
        if left is not None and not left:
            return
    if content.sha256 != source.sha256:
        raise _source_changed(source)


def _passage_rows(collection: Collection, texts: Iterable[Text]) -> Iterator[tuple[int, str, str, str]]:
    waiting = iter(texts)
    while some := list(islice(waiting, bulk.BATCH)):
        keys = clusters.keys_of(collection, [text.id for text in some])
        for text in some:
            yield collection.pk, text.id, text.text, keys.get(text.id) or class_key(text.text)


def _in_batches(collection: Collection, pids: list[str]) -> Iterator[Passage]:
    for some in bulk.parts(pids, KEYS_A_QUERY):
        yield from collection.passages.filter(pid__in=some)


def _source_changed(source: PassageSource) -> UnreadableContent:
    return UnreadableContent(
        source.path,
        0,
        "the passage file changed or moved since it was registered.",
        Guidance(
            "Restore it, or register the new one: ",
            Action("fetch_passages", source.collection.name, "--passages FILE", lead=""),
        ),
    )
