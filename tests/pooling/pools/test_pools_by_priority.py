"""Pools of the runs with a priority, of a round, and of runs named besides, which the pool records."""

import json

import pytest
from django.core.management import call_command

from config import clock
from config.background.followed_jobs import attend
from pooling import jobs
from pooling.errors import NotFound, PoolRefused
from pooling.models import Pool, Round
from pooling.pools.pool_runs import RunCriteria, runs_for_pool
from pooling.pools.pools import Choice, build_pool
from tests.factories import make_collection, make_qrels, make_run

pytestmark = pytest.mark.one_database


@pytest.fixture
def track(db):
    """Teams with priorities in two rounds, a baseline without one, and a document run with priority 1."""
    collection = make_collection("track", ["q1"])
    day = clock.now()
    rounds = {
        name: Round.objects.create(
            collection=collection, name=name, opens_at=day, closes_at=day + day.resolution, most_runs=3
        )
        for name in ("2025", "2026")
    }
    make_qrels(collection, "official", [("q1", "known", 1)])
    for tag, team, priority, season in (
        ("otter1", "Otters", 1, "2026"),
        ("otter2", "Otters", 2, "2026"),
        ("otter3", "Otters", 3, "2026"),
        ("seal1", "Seals", 1, "2025"),
        ("seal2", "Seals", 2, "2026"),
    ):
        details = {"priority": priority}
        make_run(collection, tag, {"q1": [tag]}, team=team, details=details, round=rounds[season])
    make_run(collection, "bm25", {"q1": ["bm25"]}, baseline=True)
    make_run(collection, "docs", {"q1": ["D1"]}, details={"priority": 1, "task": "document"})
    return collection


def pool_of(collection, *, named=(), **criteria):
    everything = collection.runs.order_by("run_tag")
    named = list(everything.filter(run_tag__in=named))
    labels = collection.qrel_sets.get()
    chosen = runs_for_pool(collection, everything, named, labels, RunCriteria(**criteria))
    return [run.run_tag for run in chosen.kept], [run.run_tag for run in chosen.left_out]


@pytest.mark.parametrize(
    ("criteria", "named", "tags"),
    [
        ({"priority": 1}, [], ["otter1", "seal1"]),
        ({"priority": 2}, [], ["otter1", "otter2", "seal1", "seal2"]),
        ({"priority": 9}, [], ["otter1", "otter2", "otter3", "seal1", "seal2"]),
        ({"priority": 2, "round": "2026"}, [], ["otter1", "otter2", "seal2"]),
        ({"round": "2025"}, [], ["seal1"]),
        ({"priority": 1}, ["bm25", "otter1"], ["bm25", "otter1", "seal1"]),
        ({"priority": 1, "round": "2025"}, ["otter3"], ["otter3", "seal1"]),
        ({}, ["bm25"], ["bm25"]),
        ({}, [], ["bm25", "otter1", "otter2", "otter3", "seal1", "seal2"]),
    ],
)
def test_runs_are_chosen_by_priority_and_round_and_named_runs_are_added(track, criteria, named, tags):
    assert pool_of(track, named=named, **criteria)[0] == tags


def test_document_runs_are_left_out_unless_named(track):
    assert pool_of(track, priority=1) == (["otter1", "seal1"], ["docs"])
    assert pool_of(track, named=["docs"], priority=1) == (["docs", "otter1", "seal1"], [])


@pytest.mark.parametrize(
    ("criteria", "why", "advice"),
    [
        ({"priority": 1, "round": "2024"}, "has no round '2024'", "Rounds: 2025, 2026, empty"),
        ({"priority": 0}, "between 1 and", ""),
        ({"priority": 1, "round": "empty"}, "The round empty has no runs", "Choose another round"),
        (
            {"priority": 2, "round": "late"},
            "No run of the round late has priority 1 or 2",
            "lowest priority is 3",
        ),
        ({"priority": 1, "round": "plain"}, "of the round plain has priority 1", "import_run_metadata track"),
    ],
)
def test_a_choice_without_runs_is_refused_with_advice(track, criteria, why, advice):
    day = clock.now()
    for name in ("empty", "late", "plain"):
        Round.objects.create(
            collection=track, name=name, opens_at=day, closes_at=day + day.resolution, most_runs=3
        )
    track.runs.filter(run_tag="otter3").update(round=Round.objects.get(name="late"))
    track.runs.filter(run_tag="bm25").update(round=Round.objects.get(name="plain"))

    with pytest.raises((PoolRefused, NotFound), match=why) as refused:
        pool_of(track, **criteria)

    assert advice in str(refused.value)


def test_the_command_pools_by_priority_and_the_pool_keeps_the_record(track, capsys):
    words = ["--priority", "2", "--round", "2026", "--runs", "bm25,seal2", "--depth", "10"]
    call_command("build_pool", "track", "--pool", "first", *words, "--json")

    built = json.loads(capsys.readouterr().out)
    assert (built["runs"], built["without_priority"]) == (4, 0)
    pool = Pool.objects.get(name="first")
    assert (pool.priority, pool.round, pool.depth) == (2, "2026", 10)
    track.runs.filter(run_tag="otter1").update(details={"priority": 3})
    assert list(pool.pool_runs.order_by("run__run_tag").values_list("run__run_tag", "priority", "named")) == [
        ("bm25", None, True),
        ("otter1", 1, False),
        ("otter2", 2, False),
        ("seal2", 2, False),
    ]
    call_command("pool_stats", "first")
    assert "Runs with priority 1 or 2 of the round 2026, and 1 named" in " ".join(
        capsys.readouterr().out.split()
    )


def test_runs_that_lack_a_priority_are_counted(track, capsys):
    call_command("build_pool", "track", "--pool", "first", "--priority", "1", "--json")

    assert json.loads(capsys.readouterr().out)["without_priority"] == 1  # the baseline


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--all-runs", "--priority", "1"], "--all-runs cannot be combined"),
        (["--priority", "0"], "between 1 and"),
    ],
)
def test_the_command_refuses_an_impossible_choice(track, capsys, words, said):
    with pytest.raises(SystemExit):
        call_command("build_pool", "track", "--pool", "first", *words)

    assert said in capsys.readouterr().err
    assert not Pool.objects.exists()


def test_a_job_builds_a_fractional_pool_by_priority_once(track):
    runs = list(track.runs.filter(run_tag__startswith="otter"))
    asked = {
        "collection": track,
        "name": "part",
        "runs": runs,
        "depth": 5,
        "choice": Choice(fraction=2, fraction_seed=1, priority=3, round="2026"),
    }
    job = jobs.ring_for_pool(qrel_set=None, **asked)
    attend(job)

    pool = Pool.objects.get(name="part")
    assert (pool.fraction, pool.priority, pool.round) == (2, 3, "2026")
    assert not pool.pool_runs.filter(named=True).exists()
    assert jobs.ring_for_pool(qrel_set=None, **asked) == job


def test_a_pool_without_a_priority_names_no_run(track):
    pool = build_pool(collection=track, name="all", runs=list(track.runs.all()))

    assert (pool.priority, pool.round) == (None, "")
    assert not pool.pool_runs.filter(named=True).exists()
