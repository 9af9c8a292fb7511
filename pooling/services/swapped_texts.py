"""Refuse queries that were given as passages, and passages that were given as queries: both are ids with texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from pooling.errors import InvalidFile, InvalidPassageFile, InvalidQueryFile
from pooling.formats import Content
from pooling.models import Collection
from pooling.other_kinds import SEND_PASSAGES, look_swapped
from pooling.texts import Text, format_of, read_passages

#: The number of texts that are compared.
SAMPLE = 1_000


def refuse_swapped_texts(queries: Sequence[Text], name: str, passage_files: Iterable[Content]) -> None:
    """Raise InvalidFile if the files of a new collection are in each other's place, or if one is both.

    ``name``: of the query file.
    """
    texts_of = {query.id: query.text for query in queries}
    for content in passage_files:
        called, sample = content.name, list(islice(_passages(content), SAMPLE))
        _refuse_queries(texts_of, sample, called)
        if not look_swapped([query.text for query in queries[:SAMPLE]], [one.text for one in sample]):
            continue
        # Queries that are long and passages that are short, such as titles, look swapped, too.
        if sum(1 for _ in islice(_passages(content), len(queries))) < len(queries):
            raise InvalidQueryFile(
                name,
                0,
                f"its texts are much longer than those of {called}, and there are more of them.",
                f"This looks like passages, and {called} like queries: swap the two files. If they are right, create "
                f"the collection without {called}, then add that file.",
            )


def refuse_own_queries(collection: Collection, passage_files: Iterable[Content]) -> None:
    """Raise InvalidPassageFile for a passage file that contains the collection's queries."""
    for content in passage_files:
        sample = list(islice(_passages(content), SAMPLE))
        own = collection.queries.filter(qid__in=[one.id for one in sample]).values_list("qid", "text")
        _refuse_queries(dict(own), sample, content.name)


def _refuse_queries(texts_of: Mapping[str, str], sample: Sequence[Text], called: str) -> None:
    if sample and all(texts_of.get(one.id) == one.text for one in sample):
        raise InvalidPassageFile(
            called,
            0,
            "it contains the collection's queries, with the same ids and texts.",
            SEND_PASSAGES,
        )


def _passages(content: Content) -> Iterator[Text]:
    """Yield the file's passages up to the first invalid line, which is reported when it is needed."""
    with suppress(InvalidFile):
        yield from read_passages(content.again(), format_of(content.again()))
