"""Imports that are all or nothing, texts fetched when needed, pools built and described."""

import gzip
import json
from threading import Barrier, Thread

import pytest
from django.db import connection, connections

from pooling.collections import lookups
from pooling.errors import (
    AlreadyImported,
    InvalidPassageFile,
    NotFound,
    PoolingError,
    PoolRefused,
    UnknownQueries,
    UnreadableContent,
)
from pooling.files.formats import Content
from pooling.intake import collections
from pooling.labels import qrels
from pooling.models import Collection, Passage, Pool, PooledPassage, Qrel, QrelSet, Query, Run
from pooling.passages import passages
from pooling.pools import pools
from pooling.runs import runs
from pooling.runs.runs import RunFacts
from tests.pooling.conftest import PASSAGES, QRELS, QUERIES, RUN_A, RUN_B


def test_a_collection_comes_with_its_queries_sources_and_qrels(collection):
    assert list(collection.queries.order_by("position").values_list("qid", "text")) == [
        ("1", "who"),
        ("2", "what"),
        ("3", "where"),
    ]
    assert collection.sources.get().format == "tsv"
    assert collection.qrel_sets.get().name == "official"
    assert Qrel.objects.count() == 2


def test_a_collection_with_a_bad_file_is_not_made_at_all(db, write):
    bad = write("bad.tsv", "1\twho\n1\twho\n")
    files = {"queries": write("q.tsv", QUERIES), "qrels": write("r.txt", "9 0 p1 1\n")}

    with pytest.raises(PoolingError):
        collections.import_collection(name="x", queries=bad)
    with pytest.raises(UnknownQueries):
        collections.import_collection(name="x", **files)
    with pytest.raises(InvalidPassageFile):
        collections.import_collection(
            name="x", queries=files["queries"], passage_files=[write("p", "no tab\n")]
        )

    assert not Collection.objects.exists()
    assert not Query.objects.exists()


def test_a_name_is_taken_once(collection, write):
    with pytest.raises(AlreadyImported, match="small"):
        collections.import_collection(name="small", queries=write("q.tsv", QUERIES))


@pytest.mark.parametrize("name", ["", "two words", "a/b", "x" * 81])
def test_names_fit_into_an_address(db, write, name):
    with pytest.raises(PoolingError, match=r"name|long"):
        collections.import_collection(name=name, queries=write("q.tsv", QUERIES))


def test_the_language_of_texts_is_told_by_its_tag(db, write):
    queries = write("q.tsv", QUERIES)

    made = collections.import_collection(name="x", queries=queries, language="zh-Hant")

    assert made.collection.language == "zh-Hant"
    with pytest.raises(PoolingError, match="is not a language tag"):
        collections.import_collection(name="y", queries=queries, language="Arabic!")


def test_qrels_with_grades_above_one_are_graded(collection, write):
    imported = qrels.import_qrels(
        collection=collection, path=write("g.txt", "1 0 p1 3\n1 0 p2 1\n"), set_name="graded", min_grade=2
    )

    assert imported.qrel_set.kind == QrelSet.Kind.GRADED
    assert (imported.labels, imported.queries, imported.relevant) == (2, 1, 1)


def test_a_qrel_set_is_named_once(collection, write):
    with pytest.raises(AlreadyImported):
        qrels.import_qrels(collection=collection, path=write("q.txt", QRELS), set_name="official")


def test_unknown_queries_of_qrels_are_dropped_on_request(collection, write):
    path = write("g.txt", "1 0 p1 1\n9 0 p2 1\n")

    with pytest.raises(UnknownQueries):
        qrels.import_qrels(collection=collection, path=path, set_name="more")
    imported = qrels.import_qrels(collection=collection, path=path, set_name="more", skip_unknown=True)

    assert (imported.labels, imported.skipped) == (1, ("9",))


def test_an_imported_run_is_private_unless_its_release_is_said(collection, write):
    assert runs.import_run(collection=collection, path=write("a.run", RUN_A)).release == "private"


def test_an_imported_run_is_kept_with_its_facts(collection, write, data_dir):
    path = write("a.run", RUN_A)

    run = runs.import_run(
        collection=collection, path=path, facts=RunFacts(team="T", baseline=True, release="scores")
    )

    run.refresh_from_db()
    assert (run.run_tag, run.format, run.order, run.team, run.baseline, run.release) == (
        "A",
        "trec",
        "score",
        "T",
        True,
        "scores",
    )
    assert run.report["lines"] == 4
    assert (data_dir / "runs" / run.storage_name).exists()
    assert runs.tops_of(run) == {"1": ("p1",), "2": ("p3",), "3": ("p5",)}


def test_a_refused_run_leaves_nothing(collection, write, data_dir):
    with pytest.raises(PoolingError):
        runs.import_run(collection=collection, path=write("bad.run", RUN_A + "1 Q0 p1 9 9 A\n"))

    assert not Run.objects.exists()
    assert not [path for path in (data_dir / "runs").rglob("*") if path.is_file()]


def test_the_same_content_is_imported_once_however_compressed(two_runs, collection, write):
    with pytest.raises(AlreadyImported, match="as run A"):
        runs.import_run(
            collection=collection, path=write("again.gz", gzip.compress(RUN_A.encode())), run_tag="C"
        )


def test_the_same_content_in_another_order_is_another_run(two_runs, collection, write):
    path = write("again", RUN_A)

    run = runs.import_run(collection=collection, path=path, run_tag="A-by-rank", order="rank")

    assert run.order == "rank"


def test_another_content_cannot_take_a_tag(two_runs, collection, write):
    with pytest.raises(AlreadyImported, match="other content"):
        runs.import_run(collection=collection, path=write("other", RUN_B.replace(" B", " A")))


def test_checking_a_run_changes_nothing(collection, write, data_dir):
    checked = runs.check_run(Content(write("a.run", RUN_A)), collection=collection)

    assert checked.run_tag == "A"
    assert not Run.objects.exists()
    assert not (data_dir / "runs").exists()


@pytest.mark.parametrize(
    ("name", "tag"), [("bm25.tsv.gz", "bm25"), ("my.run.v2.txt", "my.run.v2"), (".gz", ".gz")]
)
def test_a_run_without_a_tag_is_called_after_its_file(name, tag):
    assert runs.tag_of(name) == tag


def test_a_file_left_by_a_crash_is_put_to_use(collection, write, data_dir, monkeypatch):
    path = write("a.run", RUN_A)
    with monkeypatch.context() as patch:
        patch.setattr(Run.objects, "create", lambda **fields: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            runs.import_run(collection=collection, path=path)
    assert not Run.objects.exists()

    run = runs.import_run(collection=collection, path=path)

    assert len(runs.ranking_files.ranking_of(run).qids) == 3
    assert len([p for p in (data_dir / "runs").rglob("*") if p.is_file()]) == 1


def test_a_lost_ranking_is_reported(two_runs, data_dir):
    (data_dir / "runs" / two_runs[0].storage_name).unlink()

    with pytest.raises(NotFound, match="stored ranking of run A is missing"):
        runs.ranking_files.ranking_of(two_runs[0])


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_imports_of_a_file_wins(write, monkeypatch):
    collection = collections.import_collection(name="race", queries=write("q.tsv", QUERIES)).collection
    path = write("a.run", RUN_A)
    both_checked = Barrier(2, timeout=30)
    put = runs.ranking_files.put_ranking
    monkeypatch.setattr(runs.ranking_files, "put_ranking", lambda *args: (both_checked.wait(), put(*args)))
    outcomes: list[object] = []

    def attempt():
        try:
            outcomes.append(runs.import_run(collection=collection, path=path))
        except AlreadyImported as refused:
            outcomes.append(refused)
        finally:
            connections.close_all()

    threads = [Thread(target=attempt) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    won = [outcome for outcome in outcomes if isinstance(outcome, Run)]
    lost = [outcome for outcome in outcomes if isinstance(outcome, AlreadyImported)]
    assert (len(won), len(lost)) == (1, 1)
    assert "as run A" in str(lost[0])
    assert runs.tops_of(won[0])["1"] == ("p1",)


def test_only_needed_texts_are_kept(collection):
    found = passages.ensure(collection=collection, pids=["p1", "p9", "nowhere"])

    assert {pid: passage.text for pid, passage in found.items()} == {
        "p1": "text 1",
        "p9": "text  1",
        "nowhere": None,
    }
    assert found["p1"].class_key == found["p9"].class_key != ""
    assert collection.passages.filter(text__isnull=False).count() == 2


def test_a_pass_fetches_what_is_recorded_and_missing(collection):
    fetched = passages.fetch_missing(collection=collection)

    assert (fetched.wanted, fetched.found, fetched.missing) == (2, 2, ())
    assert passages.fetch_missing(collection=collection).wanted == 0


def test_a_pass_stores_texts_in_batches_and_none_of_a_file_that_changed(collection, monkeypatch):
    monkeypatch.setattr(passages.bulk, "BATCH", 1)
    source = collection.sources.get()
    sha256, source.sha256 = source.sha256, "changed"
    source.save()
    passages.record_passages(collection, ["p3", "nowhere"])
    with pytest.raises(UnreadableContent):
        passages.fetch_missing(collection=collection)
    assert not collection.passages.filter(text__isnull=False).exists()

    source.sha256 = sha256
    source.save()
    fetched = passages.fetch_missing(collection=collection)

    assert (fetched.wanted, fetched.found, fetched.missing) == (4, 3, ("nowhere",))


def test_every_text_is_kept_on_request(collection):
    assert passages.fetch_all(collection=collection) == 9
    assert passages.fetch_all(collection=collection) == 9


def test_the_first_source_that_holds_a_passage_gives_its_text(collection, write):
    passages.add_sources(
        collection=collection, paths=[write("more.jsonl", '{"_id": "p1", "text": "other"}\n')]
    )

    assert passages.ensure(collection=collection, pids=["p1"])["p1"].text == "text 1"


def test_a_source_is_registered_once(collection, write):
    with pytest.raises(AlreadyImported):
        passages.add_sources(
            collection=collection, paths=[write("again.gz", gzip.compress(PASSAGES.encode()))]
        )


@pytest.mark.parametrize("change", [PASSAGES + "p10\tmore\n", PASSAGES.replace("text 8", "TEXT 8")])
def test_a_source_that_changed_is_refused(collection, write, change):
    write("passages.tsv", change)

    with pytest.raises(UnreadableContent, match="registered"):
        passages.ensure(collection=collection, pids=["p1", "nowhere"])

    assert Passage.objects.get(pid="p1").text is None


def test_a_pool_holds_tops_and_qrels_with_their_texts(collection, two_runs):
    pool = pools.build_pool(
        collection=collection,
        name="pool",
        runs=two_runs,
        qrel_set=lookups.qrel_set_named(collection, "official"),
    )

    a, b = (run.pk for run in two_runs)
    rows = PooledPassage.objects.filter(pool=pool).order_by("query__position", "pk")
    assert list(rows.values_list("query__qid", "passage__pid", "run_ids", "is_qrel", "passage__text")) == [
        ("1", "p1", [a], True, "text 1"),
        ("1", "p2", [b], False, "text 2"),
        ("2", "p3", [a, b], False, "text 3"),
        ("2", "p4", [], True, "text 4"),
        ("3", "p5", [a], False, "text 5"),
    ]
    summary = pools.pool_stats(pool=pool)
    assert (
        summary.stats.queries,
        summary.stats.singletons,
        summary.stats.pairs,
        summary.stats.qrel_added,
    ) == (3, 1, 2, 1)
    assert (summary.runs["A"].passages, summary.runs["A"].unique, summary.qrel.unique) == (3, 1, 1)


def test_a_pool_counts_passages_of_one_text_once(collection, two_runs, write):
    run = runs.import_run(collection=collection, path=write("c", "1 Q0 p9 1 1 C\n"))

    pool = pools.build_pool(collection=collection, name="pool", runs=[two_runs[0], run])

    summary = pools.pool_stats(pool=pool)
    stats = summary.stats
    assert (summary.pooled, stats.passages, stats.pairs, stats.singletons) == (4, 3, 0, 3)


def test_a_least_size_counts_classes_and_leaves_queries_out(collection, two_runs, write):
    choice = pools.Choice(min_size=2)

    pool = pools.build_pool(collection=collection, name="pool", runs=two_runs, choice=choice)

    assert set(pool.pooled_passages.values_list("query__qid", flat=True)) == {"1"}


def test_a_sample_is_drawn_by_its_seed(collection, two_runs):
    def drawn(name: str) -> set[str]:
        choice = pools.Choice(sample=2, seed=11)
        pool = pools.build_pool(collection=collection, name=name, runs=two_runs, choice=choice)
        return set(pool.pooled_passages.values_list("query__qid", flat=True))

    assert len(drawn("one")) == 2
    assert drawn("two") == drawn("three")


def test_an_impossible_pool_is_refused(collection, two_runs):
    with pytest.raises(PoolRefused, match="needs runs"):
        pools.build_pool(collection=collection, name="pool", runs=[])
    with pytest.raises(PoolRefused, match="No query"):
        pools.build_pool(collection=collection, name="pool", runs=two_runs, choice=pools.Choice(min_size=9))
    with pytest.raises(PoolRefused, match="Queries 77"):
        pools.build_pool(
            collection=collection, name="pool", runs=two_runs, choice=pools.Choice(qids=["1", "77"])
        )

    assert not Pool.objects.exists()


def test_names_that_are_not_there_are_answered_with_those_that_are(collection, two_runs):
    with pytest.raises(NotFound, match="Collections: small"):
        lookups.collection_named("big")
    with pytest.raises(NotFound, match=r"no run C.* Runs: A, B"):
        lookups.runs_tagged(collection, ["A", "C"])
    with pytest.raises(NotFound, match="Qrel sets: official"):
        lookups.qrel_set_named(collection, "graded")
    with pytest.raises(NotFound, match="build_pool"):
        lookups.pool_named("pool")


def test_a_report_can_be_stored_as_json(two_runs):
    assert json.dumps(two_runs[1].report["unanswered"]) == '["3"]'
    assert connection.vendor in ("sqlite", "postgresql")
