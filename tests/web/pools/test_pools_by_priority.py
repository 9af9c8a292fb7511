"""Choosing a pool's runs by priority and round, on pages and in the API."""

import re

import pytest
from django.http import QueryDict
from django.urls import reverse

from config import clock
from pooling.models import Membership, Pool, Round
from tests.due_jobs import work_off_everything
from tests.factories import make_collection, make_run
from tests.web.api_caller import Api
from web.pools.pages import plan_page

PLAN = "/collections/cup/pools/new/"


@pytest.fixture
def cup(db):
    """Twelve runs of four teams with priorities 1 to 3, and a baseline without one."""
    collection = make_collection("cup", ["q1"])
    day = clock.now()
    season = Round.objects.create(
        collection=collection, name="spring", opens_at=day, closes_at=day + day.resolution, most_runs=3
    )
    for team in "abcd":
        for priority in (1, 2, 3):
            tag = f"{team}{priority}"
            facts = {"team": f"Team {team}", "round": season if team == "a" else None}
            make_run(collection, tag, {"q1": [tag]}, details={"priority": priority}, **facts)
    make_run(collection, "bm25", {"q1": ["x"]}, baseline=True)
    return collection


@pytest.fixture
def manager(client, cup, django_user_model):
    client.force_login(mia := django_user_model.objects.create_user("mia"))
    Membership.objects.create(collection=cup, user=mia, role="manager")
    return client


def texts(reply) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", reply.content.decode()).split())


def test_the_form_offers_the_priorities_that_runs_have(manager):
    reply = manager.get(PLAN)

    assert "1 (4 runs) 1 or 2 (8 runs) 1 to 3 (12 runs)" in texts(reply)
    assert "any spring" in texts(reply)
    assert "Team b 2" in texts(reply)


def test_a_collection_without_priorities_and_rounds_is_not_asked_for_them(manager, cup):
    Round.objects.all().delete()
    cup.runs.update(details={})

    page = manager.get(PLAN).content.decode()

    assert "Runs with priority" not in page
    assert "Runs of the round" not in page


def test_the_preview_says_how_many_runs_are_pooled_and_which(manager, cup):
    bm25 = cup.runs.get(run_tag="bm25")

    said = texts(manager.get(f"{PLAN}?priority=2"))
    more = plan_page(cup, QueryDict(f"priority=2&round=spring&run={bm25.pk}"))

    assert "8 runs are pooled: those with priority 1 or 2. 1 run has no priority and is left out" in said
    assert [one.run_tag for one in more.brought] == ["a1", "a2", "bm25"]
    assert [one.run_tag for one in more.brought if one.named] == ["bm25"]
    both = manager.get(f"{PLAN}?priority=2&round=spring&run={bm25.pk}")
    assert (
        "3 runs are pooled: those with priority 1 or 2 of the round spring, and 1 that you ticked"
        in texts(both)
    )


def test_a_priority_that_no_run_has_is_refused_with_a_way_out(manager, cup):
    cup.runs.update(details={})

    refused = "No run of cup has priority 1 or 2. Describe runs with a table"
    assert f"{refused} (only an owner or a maintainer can), or name runs." in texts(
        manager.get(f"{PLAN}?priority=2")
    )

    Membership.objects.update(role="maintainer")
    reply = manager.get(f"{PLAN}?priority=2")

    assert f"{refused} , or name runs." in texts(reply)
    assert reverse("web:run_metadata", args=["cup"]) in reply.content.decode()


@pytest.mark.parametrize("value", ["0", "x", "1e9", "9" * 400])
def test_an_invalid_priority_is_explained_at_its_field(manager, value):
    reply = manager.get(PLAN, {"priority": value})

    assert reply.status_code == 422
    assert 'id="id_priority_error"' in reply.content.decode()


def test_a_pool_built_by_priority_shows_its_choice_and_so_does_its_fraction(manager, cup):
    bm25 = cup.runs.get(run_tag="bm25")
    asked = {"name": "firsts", "priority": "1", "round": "", "run": bm25.pk, "depth": "10"}
    manager.post("/collections/cup/pools/build", asked)
    work_off_everything()

    said = texts(manager.get("/collections/cup/pools/named/firsts/"))
    assert "depth 10 · runs with priority 1 and 1 chosen by name" in said
    assert "bm25 chosen by name – –" in said
    assert "a1 Team a 1" in said

    fraction = {"name": "half", "fraction": "2", "fraction_seed": "1"}
    manager.post("/collections/cup/pools/named/firsts/fraction", fraction)
    work_off_everything()
    half = Pool.objects.get(name="half")
    assert (half.priority, half.depth, half.fraction, half.pool_runs.count()) == (1, 10, 2, 5)
    assert half.pool_runs.get(named=True).run == bm25


def test_a_page_of_300_runs_needs_few_statements(manager, cup, django_assert_max_num_queries):
    for number in range(287):
        details = {"priority": number % 5 + 1}
        make_run(cup, f"r{number}", {"q1": [f"p{number}"]}, team=f"T{number % 60}", details=details)

    with django_assert_max_num_queries(40):
        reply = manager.get(f"{PLAN}?priority=2&round=")

    assert "124 runs are pooled" in texts(reply)


def test_the_api_plans_and_builds_by_priority(client, cup):
    api = Api(client, cup)
    asked = {"priority": 1, "runs": ["bm25"]}

    plan = api.post("/collections/cup/pool-plan", asked)
    assert set(plan.json()["runs"]) == {"a1", "b1", "c1", "d1", "bm25"}
    assert plan.json()["without_priority"] == 0
    assert api.post("/collections/cup/pool-plan", {"priority": 1}).json()["without_priority"] == 1
    assert api.post("/collections/cup/pools", asked | {"name": "firsts"}).status_code == 202
    work_off_everything()

    made = api.get("/collections/cup/pools/firsts").json()
    assert (made["priority"], made["round"]) == (1, "")
    assert made["runs"][:2] == [
        {"run_tag": "a1", "priority": 1, "named": False},
        {"run_tag": "b1", "priority": 1, "named": False},
    ]
    assert {"run_tag": "bm25", "priority": None, "named": True} in made["runs"]
    cup.runs.update(details={})
    refused = api.post("/collections/cup/pool-plan", {"priority": 2})
    assert refused.status_code == 422
    assert "POST /api/v1/collections/cup/run-metadata" in refused.content.decode()
