"""Classes of near-duplicates in a collection: stored, given to passages, used by pools, removed."""

from unittest.mock import ANY

import pytest

from pooling.errors import AlreadyImported, ClustersRefused, NotFound
from pooling.models import ClusteredPassage, PooledPassage
from pooling.passages import clusters, passages
from pooling.pools import pools
from pooling.rules.near_duplicates import Likeness
from pooling.rules.passage_text import canonical_key, class_key
from pooling.runs import runs

TEXT = (
    "the quick brown fox jumps over the lazy dog and runs away into the dark wood behind the old mill again"
)


@pytest.fixture
def classes(collection, write):
    """Classes p1 (p1, p2, p7) and p3 (p3, p8)."""
    lines = "p1 p1\np1 p2\np1 p7\np3 p3\np3 p8\n"
    return clusters.store_classes(collection, clusters.classes_in_file(write("c.txt", lines)), who="ann")


def keys(collection):
    return dict(collection.passages.values_list("pid", "class_key"))


def test_recorded_passages_and_later_ones_get_the_key_of_their_class(collection, classes):
    passages.ensure(collection=collection, pids=["p2", "p5", "p7"])

    assert keys(collection) == {
        "p1": canonical_key("p1"),
        "p2": canonical_key("p1"),
        "p7": canonical_key("p1"),
        "p4": "",
        "p5": class_key("text 5"),
    }
    assert (classes.classes, classes.members, classes.made_by) == (2, 5, "ann")
    assert classes.parameters["file"] == "c.txt"


def test_passages_without_text_have_a_class_too(collection, classes):
    passages.record_passages(collection, ["p8", "nowhere"])

    assert keys(collection)["p8"] == canonical_key("p3")
    assert keys(collection)["nowhere"] == ""


def test_removing_the_classes_restores_those_of_equal_texts(collection, write):
    passages.fetch_all(collection=collection)
    before = keys(collection)
    lines = "p1 p1\np1 p9\np1 p2\n"
    stored = clusters.store_classes(collection, clusters.classes_in_file(write("c.txt", lines)))
    assert keys(collection) != before

    clusters.remove_classes(collection, who="ann")

    assert keys(collection) == before
    assert not ClusteredPassage.objects.filter(cluster_set=stored.pk).exists()
    assert [change.what for change in collection.changes.order_by("pk")][-2:] == [
        "1 class of near-duplicates stored",
        "1 class of near-duplicates removed",
    ]
    with pytest.raises(NotFound):
        clusters.remove_classes(collection)


def test_a_collection_has_one_set_of_classes(collection, classes, write):
    with pytest.raises(AlreadyImported):
        clusters.store_classes(collection, clusters.classes_in_file(write("d.txt", "a b\na c\n")))


def test_pools_get_the_canonical_passage_of_a_near_duplicate(collection, write, classes, two_runs):
    late = runs.import_run(collection=collection, path=write("c.run", "1 Q0 p7 1 3 C\n2 Q0 p8 1 3 C\n"))

    pool = pools.build_pool(collection=collection, name="one", runs=[late], who="ann")

    found = PooledPassage.objects.filter(pool=pool)
    assert {(row.query.qid, row.passage.pid, tuple(row.run_ids)) for row in found} == {
        ("1", "p7", (late.pk,)),
        ("1", "p1", ()),
        ("2", "p8", (late.pk,)),
        ("2", "p3", ()),
    }
    stats = pools.pool_stats(pool=pool)
    assert (stats.stats.histogram, stats.pooled, stats.canonical_added) == ({1: 2}, 4, 2)


def test_adding_runs_and_building_a_pool_are_logged(collection, two_runs):
    pools.build_pool(collection=collection, name="one", runs=two_runs, who="ann")

    logged = collection.changes.order_by("pk").values_list("what", "who")
    assert [*logged] == [(ANY, ""), (ANY, ""), ("pool one of 3 queries built", "ann")]
    assert {what.split()[0] for what, _ in logged[:2]} == {"run"}


def test_near_duplicates_are_found_among_the_texts(collection, write):
    words = TEXT.split()
    lines = [f"a\t{TEXT}", f"b\t{TEXT}.", f"c\t{' '.join(words[:-1])}", "d\tan entirely different text"]
    passages.add_sources(collection=collection, paths=[write("more.tsv", "\n".join(lines))])

    found = clusters.find_classes(passages.all_texts(collection), Likeness(threshold=0.7))

    assert {pid: first for pid, first in found.canonical.items() if pid in "abcd"} == dict.fromkeys(
        "abc", "a"
    )
    assert found.texts == 13
    assert (found.parameters["threshold"], found.parameters["shingle"]) == (0.7, 3)


@pytest.mark.parametrize("likeness", [Likeness(threshold=0.4), Likeness(threshold=1.1), Likeness(shingle=0)])
def test_senseless_settings_are_refused(likeness):
    with pytest.raises(ClustersRefused):
        clusters.find_classes([], likeness)


def test_without_near_duplicates_nothing_is_stored(collection):
    classes = clusters.find_classes([("a", "one text"), ("b", "another one here")], Likeness())

    with pytest.raises(ClustersRefused, match="No two"):
        clusters.store_classes(collection, classes)
