"""Refuse a query file sent as a passage file, and the reverse. Both contain ids and texts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from pooling.errors import InvalidFile, InvalidPassageFile, InvalidQueryFile
from pooling.files.formats import Content
from pooling.files.mistaken_files import SEND_PASSAGES, look_swapped
from pooling.files.texts import Text, format_of, read_passages
from pooling.models import Collection
from pooling.storage import bulk

#: The number of texts to sample, or to compare at once.
SAMPLE = 1_000


def refuse_swapped_texts(queries: Sequence[Text], name: str, passage_files: Iterable[Content]) -> None:
    """Raise InvalidFile if the query file and a passage file of a new collection are swapped.

    ``name`` is the name of the query file.
    """
    for content in passage_files:
        called, sample = content.name, [one.text for one in islice(_passages(content), SAMPLE)]
        if not look_swapped([query.text for query in queries[:SAMPLE]], sample):
            continue
        # Long queries and short passages, such as titles, look swapped, too. But then there are more passages.
        if sum(1 for _ in islice(_passages(content), len(queries))) < len(queries):
            raise InvalidQueryFile(
                name,
                0,
                f"its texts are much longer than those of {called}, and there are more of them.",
                f"This looks like passages, and {called} like queries: swap the two files. If they are right, create "
                f"the collection without {called}, then add that file.",
            )


def refuse_repeated_queries(
    queries: Sequence[Text], passage_files: Iterable[Content], labeled: Iterable[str]
) -> None:
    """Raise InvalidPassageFile if all passages in a file of a new collection are its queries.

    Such a file is accepted if there are labels and every labeled passage is a query, as in a search for duplicate
    questions.
    """
    texts_of = {query.id: query.text for query in queries}
    named = set(labeled)
    for content in passage_files:
        if _has_only_queries(content, lambda _: texts_of) and not (named and named <= texts_of.keys()):
            raise _repeated_queries(content.name)


def refuse_own_queries(
    collection: Collection, passage_files: Iterable[Content], labeled: Iterable[str] = ()
) -> None:
    """Raise InvalidPassageFile if all passages in a file are queries of the collection.

    Such a file is accepted if passages are already recorded or newly labeled (``labeled``), and all of these are
    queries.
    """

    def texts_of(ids: list[str]) -> dict[str, str]:
        return dict(collection.queries.filter(qid__in=ids).values_list("qid", "text"))

    for content in passage_files:
        if _has_only_queries(content, texts_of) and not _names_only_queries(collection, set(labeled)):
            raise _repeated_queries(content.name)


def _names_only_queries(collection: Collection, labeled: set[str]) -> bool:
    recorded = collection.passages
    if not (labeled or recorded.exists()):
        return False
    known = sum(collection.queries.filter(qid__in=some).count() for some in bulk.parts(labeled, SAMPLE))
    others = recorded.exclude(pid__in=collection.queries.values("qid"))
    return known == len(labeled) and not others.exists()


def _has_only_queries(content: Content, texts_of: Callable[[list[str]], Mapping[str, str]]) -> bool:
    """Return whether every passage in the file has the id and text of a query. ``texts_of``: qids → {qid: text}."""
    passages, some = _passages(content), False
    while sample := list(islice(passages, SAMPLE)):
        known = texts_of([one.id for one in sample])
        if any(known.get(one.id) != one.text for one in sample):
            return False
        some = True
    return some


def _repeated_queries(called: str) -> InvalidPassageFile:
    return InvalidPassageFile(
        called,
        0,
        "it contains the collection's queries, with the same ids and texts.",
        f"{SEND_PASSAGES} If the queries are also the passages, as in the search for duplicate questions, add labels "
        "of these passages first or together with the file.",
    )


def _passages(content: Content) -> Iterator[Text]:
    """Yield the passages before the first invalid line. The import itself reports that line."""
    with suppress(InvalidFile):
        yield from read_passages(content.again(), format_of(content.again()))
