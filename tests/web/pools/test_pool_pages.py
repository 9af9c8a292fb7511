"""Planning, building and viewing a pool on pages."""

import re

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from config.background.models import Job
from pooling.models import ClusterSet, Membership, Passage, Pool
from pooling.passages.clusters import Classes, store_classes
from pooling.passages.passages import add_sources
from pooling.pools.pool_plans import plan_pool
from pooling.pools.pools import Choice, build_pool, labeled_qids, pool_stats
from pooling.rules.fractions import Fraction
from pooling.rules.shallow import Contribution
from tests.due_jobs import work_off_everything
from tests.factories import make_collection, make_qrels, make_run
from web.common.job_progress import Work
from web.pools.histogram import histogram
from web.pools.pages import plan_page

QIDS = [f"q{number}" for number in range(12)]
PLAN = "/collections/port/pools/new/"


@pytest.fixture
def port(db):
    """Twelve queries: no run answers q0, all runs agree on q1, q11 has a passage from each of fourteen runs."""
    collection = make_collection("port", QIDS)
    make_qrels(collection, "official", [(qid, f"{qid}-a", 1) for qid in QIDS[1:]])
    for number in range(14):
        ranked = {qid: [f"{qid}-{'abc'[number % 3]}", f"{qid}-second"] for qid in QIDS[2:11]}
        ranked |= {"q1": ["q1-a", "q1-b"], "q11": [f"q11-{number}", "q11-a"]}
        make_run(collection, f"run{number:02}", ranked)
    return collection


@pytest.fixture
def manager(client, port, django_user_model):
    client.force_login(mia := django_user_model.objects.create_user("mia"))
    Membership.objects.create(collection=port, user=mia, role="manager")
    return client


def texts(reply) -> str:
    """Return the page's text without tags and repeated white space."""
    return " ".join(re.sub(r"<[^>]*>", " ", reply.content.decode()).split())


def test_a_viewer_reads_who_can_build_the_pool(manager, port):
    assert "Only an owner" not in texts(manager.get(PLAN))
    Membership.objects.update(role="viewer")

    said = texts(manager.get(PLAN))

    assert "Only an owner or a campaign manager can build one." in said
    assert "Build the pool" not in said


def test_advanced_settings_are_open_only_if_one_was_changed(manager):
    for address, opened in (("", False), ("?depth=2&people=5", False), ("?people=7", True)):
        assert manager.get(PLAN + address).context["page"].form.advanced_open is opened


def test_runs_of_documents_are_not_pooled_unless_chosen(port, manager):
    docs = make_run(port, "docs", {"q1": ["D1"]}, details={"task": "document"})

    page = plan_page(port, QueryDict("qrels=official"))
    assert "docs" not in {one.run_tag for one in page.brought}
    assert "Document runs are left out: docs." in texts(manager.get(PLAN, {"qrels": "official"}))

    page = plan_page(port, QueryDict(f"qrels=official&run={docs.pk}"))
    assert [one.run_tag for one in page.brought] == ["docs"]


def test_a_built_pool_matches_its_plan(port):
    runs, labels = list(port.runs.order_by("run_tag")), port.qrel_sets.get()
    asked = [
        (1, Choice()),
        (2, Choice()),
        (1, Choice(sample=4, seed=7)),
        (1, Choice(qids=["q11", "q3", "q0"])),
        (2, Choice(min_size=3)),
        (1, Choice(min_size=2, sample=3, seed=1)),
    ]
    for number, (depth, choice) in enumerate(asked):
        given = {"collection": port, "runs": runs, "qrel_set": labels, "depth": depth, "choice": choice}

        plan = plan_pool(**given)
        pool = build_pool(name=f"built{number}", **given)

        built = pool_stats(pool=pool)
        assert plan.stats == built.stats
        assert {run.run_tag: one for run, one in plan.runs} == built.runs
        assert plan.qrel == built.qrel
        there = set(pool.pooled_passages.values_list("query__qid", flat=True))
        assert {plan.qids[place] for place in np.flatnonzero(plan.chosen)} == there


def test_runs_without_labels_and_with_numbers_for_pids(port):
    make_run(port, "numbers", {"q1": ["17", "18"], "q2": ["017"]})

    plan = plan_pool(collection=port, runs=list(port.runs.filter(run_tag__in=["numbers", "run00"])))

    assert plan.qrel is None
    assert {run.run_tag: one for run, one in plan.runs}["numbers"] == Contribution(2, 2)


def test_a_plan_counts_near_duplicates_once_as_the_built_pool_is_judged(db):
    collection = make_collection("cove", ["q1", "q2"])
    qrel_set = make_qrels(collection, "official", [("q1", "k", 1), ("q2", "m", 1)])
    runs = [
        make_run(collection, "one", {"q1": ["a", "b", "c"], "q2": ["x", "y", "z"]}),
        make_run(collection, "two", {"q1": ["d", "e", "a"], "q2": ["x", "v", "w"]}),
    ]
    classes = {pid: first for first, pids in {"a": "abd", "k": "ke", "w": "wx"}.items() for pid in pids}
    before = plan_pool(collection=collection, runs=runs, qrel_set=qrel_set, depth=3)
    store_classes(collection, Classes(ClusterSet.Method.FILE, classes, {}))

    plan = plan_pool(collection=collection, runs=runs, qrel_set=qrel_set, depth=3)

    # q1: a b d are one, e and k are one, and c. q2: x and w are one, and y, z, v, m.
    assert (before.sizes.tolist(), plan.sizes.tolist()) == ([6, 6], [3, 5])
    built = build_pool(collection=collection, name="deep", runs=runs, qrel_set=qrel_set, depth=3)
    summary = pool_stats(pool=built)
    assert summary.stats.pairs == plan.stats.pairs == 3 + 10
    assert (summary.stats.passages, summary.pooled, plan.stats.passages) == (8, 12, 8)


def test_the_page_shows_the_cost_and_unusual_queries(manager):
    said = texts(manager.get(f"{PLAN}?qrels=official"))

    assert "1 query has one passage" in said
    assert "1 query has no passage at all" in said
    assert "1 query has 10 passages or more" in said
    assert "15 passages, 105 pairs" in said
    assert "In a graded campaign, people grade single passages instead: a crowd needs " in said
    assert "Build the pool of 11 queries" in said


def test_deliberately_omitted_queries_are_not_listed_as_empty(manager):
    said = texts(manager.get(PLAN, {"queries": "q0 q3"}))

    assert "1 query has no passage at all: no run answers it. q0" in said


def test_choices_stay_in_the_address(manager, port):
    one = port.runs.get(run_tag="run03")

    page = manager.get(f"{PLAN}?depth=2&sample=3&seed=9&run={one.pk}&qrels=official").content.decode()

    assert 'name="depth" value="2"' in page
    assert f'value="{one.pk}" checked' in page
    assert "3 of 11 queries are in the pool" in re.sub(r"<[^>]*>", "", page)


def test_invalid_input_is_explained_at_its_field(manager):
    numbers = ["depth", "sample", "seed", "min_size", "reward", "judgments_per_pair", "people", "hours_a_day"]
    for field in numbers:
        for value in ("x", "-1", "1e400", "9" * 400, "nan", "<b>"):
            reply = manager.get(PLAN, {field: value})

            assert reply.status_code == 422, (field, value)
            assert f'id="id_{field}_error"' in reply.content.decode(), (field, value)
    for given in ({"queries": "q" * 2000}, {"qrels": "no-such-set"}):
        assert manager.get(PLAN, given).status_code == 422, given
    for given in ({"run": "x"}, {"run": "9" * 400}, {"queries": "nowhere"}):
        assert manager.get(PLAN, given).status_code == 200, given
    assert "Queries nowhere are not in port" in texts(manager.get(PLAN, {"queries": "nowhere"}))


def test_building_it_twice_builds_it_once(manager, port):
    asked = {"name": "tops", "qrels": "official", "sample": "5", "seed": "3"}

    first = manager.post("/collections/port/pools/build", asked)
    again = manager.post("/collections/port/pools/build", asked)
    under_way = manager.get(first["Location"])
    work_off_everything()
    late = manager.post("/collections/port/pools/build", asked)
    other = manager.post("/collections/port/pools/build", asked | {"sample": "6"}, follow=True)

    assert first["Location"] == again["Location"] == late["Location"]
    assert "No background worker is running." in texts(under_way)
    assert manager.get(first["Location"])["Location"] == "/collections/port/pools/named/tops/"
    pool = Pool.objects.get()
    assert (pool.name, pool.sample, pool.seed, pool.pool_runs.count()) == ("tops", 5, 3, 14)
    assert "already exists" in texts(other)


def test_a_job_that_runs_twice_finds_its_pool(manager, port):
    manager.post("/collections/port/pools/build", {"name": "tops", "qrels": "official"})
    work_off_everything()

    Job.objects.update(state="waiting")
    work_off_everything()

    assert Job.objects.get().state == "done"
    assert Pool.objects.count() == 1


def test_the_progress_of_fetching_texts_is_told_in_units_of_bytes(manager, port, tmp_path):
    (path := tmp_path / "texts.tsv").write_text("q1-a\ttext\n" * 5000)
    add_sources(collection=port, paths=[path])

    manager.post("/collections/port/pools/build", {"name": "tops", "qrels": "official"})
    work_off_everything()

    assert Work(Job.objects.get()).progress == "48.8\xa0KB of 48.8\xa0KB read"


def test_an_impossible_pool_is_refused_with_a_reason(manager, port):
    bad_name = manager.post("/collections/port/pools/build", {"name": "a b"}, follow=True)
    manager.post("/collections/port/pools/build", {"name": "large", "min_size": "99"}, follow=True)
    work_off_everything()

    assert "stop" in bad_name.content.decode()
    assert "No query would be in the pool" in texts(
        manager.get(f"/collections/port/pools/work/{Job.objects.get().pk}/")
    )
    assert not Pool.objects.exists()


def test_a_built_pool_has_a_page(manager, port):
    build_pool(collection=port, name="tops", runs=list(port.runs.all()), qrel_set=port.qrel_sets.get())
    Passage.objects.filter(pid="q1-a").update(text="steps of a waltz", class_key="k")

    said = texts(manager.get("/collections/port/pools/named/tops/"))

    assert "have no text" in said
    assert "The pool takes one relevant passage per query from official." in said
    assert (
        "For 1 query, no run ranks this passage first. Other relevant passages may be ranked that high."
        in said
    )
    assert "Prepare a campaign over this pool" in said
    assert "for the whole pool of " in said
    assert "0 queries have one passage" not in said
    assert "of them only as canonical passages" not in said
    assert manager.get("/collections/port/pools/named/nowhere/").status_code == 404


def test_the_page_of_a_pool_counts_added_canonical_passages(manager, port):
    classes = {"q11-z": "q11-z", "q11-3": "q11-z"}
    store_classes(port, Classes(ClusterSet.Method.FILE, classes, {}))
    build_pool(collection=port, name="tops", runs=list(port.runs.all()))

    said = texts(manager.get("/collections/port/pools/named/tops/"))

    assert "passages are pooled, 1 of them only as canonical passages of near-duplicates." in said
    assert "so its figures differ" in said


def test_the_page_of_a_fractional_pool_says_so(manager, port):
    choice = Choice(fraction=2, fraction_seed=7)
    build_pool(collection=port, name="part", runs=list(port.runs.all()), depth=2, choice=choice)

    said = texts(manager.get("/collections/port/pools/named/part/"))

    assert "from one in 2 passages of the corpus, seed 7" in said
    assert "one relevant passage per query" not in said  # it has no labels


def test_the_same_pool_is_built_from_a_fraction_of_the_corpus(manager, port):
    labels = port.qrel_sets.get()
    build_pool(collection=port, name="tops", runs=list(port.runs.all())[:3], qrel_set=labels, depth=2)
    page = "/collections/port/pools/named/tops/"
    asked = {"name": "part", "fraction": "2", "fraction_seed": "7"}

    bad = manager.post(f"{page}fraction", asked | {"fraction": "1"})
    there = manager.post(f"{page}fraction", asked | {"name": "tops"})
    begun = manager.post(f"{page}fraction", asked)
    work_off_everything()

    assert (bad.status_code, there.status_code) == (422, 422)
    assert "Enter 2 or more." in texts(bad)
    assert "already exists" in texts(there)
    made = Pool.objects.get(name="part")
    assert manager.get(begun["Location"])["Location"] == "/collections/port/pools/named/part/"
    assert (made.fraction, made.fraction_seed, made.depth, made.qrel_set) == (2, 7, 2, labels)
    assert made.pool_runs.count() == 3
    pids = set(made.pooled_passages.values_list("passage__pid", flat=True))
    assert pids
    assert all(Fraction(2, 7).holds(pid) for pid in pids)
    assert "The same from a fraction" not in texts(manager.get("/collections/port/pools/named/part/"))


def test_a_collection_without_runs_says_what_to_do(client, django_user_model):
    bare = make_collection("bare", ["q1"])
    client.force_login(mia := django_user_model.objects.create_user("mia"))
    Membership.objects.create(collection=bare, user=mia, role="owner")

    assert "has no runs yet" in texts(client.get("/collections/bare/pools/new/"))


def test_a_wide_histogram_has_thirty_rows_at_most_and_loses_no_query():
    sizes = {size: size % 7 + 1 for size in range(1, 201)}

    bars = histogram(sizes, {200: 3})

    assert len(bars) <= 30
    assert sum(bar.everything for bar in bars) == sum(sizes.values())
    assert bars[-1].chosen == 3
    assert bars[0].label == "1–7"
    assert histogram({}, {}) == []


def test_only_queries_with_labels_can_be_pooled(manager, port):
    qrels = port.qrel_sets.get(name="official").qrels
    qrels.filter(query__qid__in=["q3", "q7"]).update(grade=0)
    form = plan_page(port, QueryDict("qrels=official&labeled_only=on"))
    everything = plan_page(port, QueryDict("qrels=official"))

    labeled = len(labeled_qids(port.qrel_sets.get(name="official")))
    assert form.plan.stats.queries == labeled == everything.plan.stats.queries - 2
    assert "Choose known relevant passages" in manager.get(f"{PLAN}?labeled_only=on&qrels=").content.decode()


def test_a_plan_begins_with_the_queries_that_have_labels(manager, port):
    port.qrel_sets.get().qrels.filter(query__qid__in=["q3", "q7"]).update(grade=0)
    first, chosen = plan_page(port, QueryDict()), plan_page(port, QueryDict("run=1"))
    unticked = plan_page(port, QueryDict("qrels=official&depth=1"))

    assert first.plan.stats.queries == chosen.plan.stats.queries == unticked.plan.stats.queries - 2
    assert first.form["labeled_only"].value() is True


def test_a_plan_without_labels_begins_with_all_queries(port):
    port.qrel_sets.all().delete()

    assert plan_page(port, QueryDict()).plan.stats.queries == 11


def test_the_page_suggests_a_name_that_is_free(manager, port):
    before = manager.get(PLAN).content.decode()
    Pool.objects.create(collection=port, name="port-pool")

    after = manager.get(PLAN).content.decode()

    assert 'name="name" value="port-pool"' in before
    assert 'name="name" value="port-pool-2"' in after


def test_a_document_run_without_a_task_is_named(port, manager):
    found = {f"q{number}": [f"D{number}-{place}" for place in range(3)] for number in range(6)}
    docs = make_run(port, "docs", found)

    said = texts(manager.get(PLAN, {"qrels": "official", "depth": 2}))
    assert "In this pool, docs shares no passage with the other runs and labels." in said

    runs = list(port.runs.order_by("run_tag"))
    pool = build_pool(collection=port, name="mixed", runs=runs, qrel_set=port.qrel_sets.get(), depth=2)
    assert "docs shares no passage" in texts(manager.get(reverse("web:pool", args=[port.name, "mixed"])))
    assert pool_stats(pool=pool).apart == ("docs",)

    docs.details = {"task": "document"}
    docs.save()
    said = texts(manager.get(PLAN, {"qrels": "official", "depth": 2}))
    assert "shares no passage" not in said
    assert "Document runs are left out: docs." in said
