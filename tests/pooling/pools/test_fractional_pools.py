"""Pools of a fraction of the corpus: runs as if they had searched only the fraction, which the pool records."""

import pytest
from django.core.management import call_command

from config.background.followed_jobs import attend
from pooling import jobs
from pooling.errors import PoolRefused
from pooling.models import Pool, PooledPassage
from pooling.passages import clusters
from pooling.pools import pools
from pooling.rules.fractions import Fraction
from tests.factories import make_collection, make_qrels, make_run

pytestmark = pytest.mark.one_database

RANKED = [f"p{number}" for number in range(200)]
FRACTION = Fraction(5, 3)
HELD = [pid for pid in RANKED if FRACTION.holds(pid)]
CHOICE = pools.Choice(fraction=5, fraction_seed=3)


@pytest.fixture
def run(db):
    collection = make_collection("corpus", ["q1", "q2"])
    return make_run(collection, "one", {"q1": RANKED, "q2": RANKED[::-1]})


def pids_by_query(pool: Pool) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for qid, pid in PooledPassage.objects.filter(pool=pool).values_list("query__qid", "passage__pid"):
        found.setdefault(qid, set()).add(pid)
    return found


def test_each_query_gets_its_first_passages_within_the_fraction(run):
    pool = pools.build_pool(collection=run.collection, name="part", runs=[run], depth=4, choice=CHOICE)

    assert len(HELD) > 20
    assert pids_by_query(pool) == {"q1": set(HELD[:4]), "q2": set(HELD[-4:])}
    assert (pool.fraction, pool.fraction_seed, pool.depth) == (5, 3, 4)


def test_labels_outside_the_fraction_are_not_pooled(run):
    outside = next(pid for pid in RANKED if pid not in HELD)
    labels = make_qrels(run.collection, "official", [("q1", outside, 1), ("q2", HELD[9], 1)])

    pool = pools.build_pool(
        collection=run.collection, name="part", runs=[run], qrel_set=labels, depth=1, choice=CHOICE
    )

    assert pids_by_query(pool) == {"q1": {HELD[0]}, "q2": {HELD[-1], HELD[9]}}


def test_a_near_duplicate_is_in_the_fraction_with_its_canonical_passage(run, tmp_path):
    outside = next(pid for pid in RANKED if pid not in HELD)
    file = tmp_path / "clusters.txt"
    file.write_text(f"{outside} {outside}\n{outside} {HELD[0]}\n{HELD[5]} {HELD[5]}\n{HELD[5]} p1\n")
    assert "p1" not in HELD
    clusters.store_classes(run.collection, clusters.classes_in_file(file))

    pool = pools.build_pool(collection=run.collection, name="part", runs=[run], depth=2, choice=CHOICE)

    assert pids_by_query(pool)["q1"] == {"p1", HELD[1], HELD[5]}, "p1 is in the class of a held passage"


@pytest.mark.parametrize(
    ("fraction", "seed", "said"),
    [(1, 3, "n must be at least 2"), (5, -1, "the seed at least 0"), (5, None, "needs a seed")],
)
def test_an_impossible_fraction_is_refused(run, fraction, seed, said):
    choice = pools.Choice(fraction=fraction, fraction_seed=seed)

    with pytest.raises(PoolRefused, match=said):
        pools.build_pool(collection=run.collection, name="part", runs=[run], choice=choice)


def test_the_command_builds_one(run, capsys):
    call_command("build_pool", "corpus", "--pool", "part", "--fraction", "5", "--fraction-seed", "3")

    assert pids_by_query(Pool.objects.get(name="part")) == {"q1": {HELD[0]}, "q2": {HELD[-1]}}


def test_the_job_builds_it_once(run):
    asked = {"collection": run.collection, "runs": [run], "qrel_set": None, "depth": 2, "choice": CHOICE}
    attend(jobs.ring_for_pool(name="part", **asked))
    again = jobs.build_pool_job(
        progress=lambda *said: None,
        **jobs.ring_for_pool(name="part", **asked).arguments,
    )

    assert again == {"pool": "part"}
    assert pids_by_query(Pool.objects.get(name="part")) == {"q1": set(HELD[:2]), "q2": set(HELD[-2:])}
