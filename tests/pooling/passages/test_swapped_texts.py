"""Query and passage files in each other's place, and collections whose passages are the queries."""

import pytest

from pooling.errors import InvalidFile, InvalidPassageFile
from pooling.intake import collections
from pooling.models import Collection
from pooling.passages import passages, swapped_texts
from tests.pooling.conftest import QUERIES

LONG = "".join(f"p{number}\t{'the words of a passage ' * 6}\n" for number in range(5))


@pytest.mark.parametrize(
    ("queries", "texts", "said"),
    [
        (LONG, QUERIES, "swap the two files"),
        (QUERIES, QUERIES, "looks like queries"),
        ('{"pid": "p1", "passage": "words"}', QUERIES, "looks like passages"),
        (QUERIES, '{"qid": "q1", "query": "words"}', ""),
        (LONG.splitlines(keepends=True)[0], "t1\ta title\nt2\tanother\n", ""),
        (QUERIES, LONG, ""),
        (QUERIES, "no tab\tbut this\nno tab\n", ""),
    ],
)
def test_queries_and_passages_in_each_others_place_are_refused(db, write, queries, texts, said):
    files = {"queries": write("q.tsv", queries), "passage_files": [write("p.tsv", texts)]}

    if said:
        with pytest.raises(InvalidFile, match=said):
            collections.import_collection(name="x", **files)
    else:
        collections.import_collection(name="x", **files)

    assert Collection.objects.exists() == (not said)


def test_the_collections_queries_are_no_passage_file(collection, write):
    with pytest.raises(InvalidPassageFile, match="looks like queries"):
        passages.add_sources(collection=collection, paths=[write("again.tsv", QUERIES)])


@pytest.mark.parametrize(("labels", "stored"), [("1 0 2 1\n", True), ("1 0 2 1\n1 0 p1 1\n", False)])
def test_queries_are_the_passages_where_labels_name_nothing_else(db, write, labels, stored):
    """A collection of duplicate questions, and one whose query file was also given as passages."""
    queries, judged = write("q.tsv", QUERIES), write("r.txt", labels)
    collection = collections.import_collection(name="later", queries=queries, qrels=judged).collection

    for add in (
        lambda: collections.import_collection(
            name="x", queries=queries, passage_files=[write("p.tsv", QUERIES)], qrels=judged
        ),
        lambda: passages.add_sources(collection=collection, paths=[write("again.tsv", QUERIES)]),
    ):
        if stored:
            add()
        else:
            with pytest.raises(InvalidPassageFile, match="add labels of these passages"):
                add()

    assert collection.sources.exists() == stored
    assert Collection.objects.filter(name="x").exists() == stored


def test_a_passage_file_that_begins_with_the_queries_has_other_passages(db, write, monkeypatch):
    monkeypatch.setattr(swapped_texts, "SAMPLE", 2)
    files = {"queries": write("q.tsv", QUERIES), "passage_files": [write("p.tsv", f"{QUERIES}p9\tanother\n")]}

    assert collections.import_collection(name="x", **files).collection.sources.exists()
