"""A script builds a pool and launches a campaign; repeating a call changes nothing."""

import json

import pytest
from django.test import Client

from accounts.services.tokens import make_token
from judging.models import Campaign, Place, Posting
from pooling.models import Membership, Passage, Pool
from pooling.rules.fractions import Fraction
from tests.due_jobs import work_off_everything
from tests.factories import grant_to, make_qrels, make_run
from tests.judging.cast import Fair
from tests.judging.conftest import crowd as crowd

pytestmark = pytest.mark.one_database


@pytest.fixture
def call(crowd, db, django_user_model):
    """Return a function for calls with a manager's token: (method, path, body) → (status, response)."""
    fair = Fair(crowd)
    labels = [(f"q{number}", f"q{number}-a", 1) for number in range(4)]
    make_qrels(fair.collection, "official", labels)
    make_run(fair.collection, "one", {f"q{number}": [f"q{number}-b"] for number in range(4)})
    for number in range(4):
        Passage.objects.filter(pid=f"q{number}-a").update(
            text=f"Everything worth knowing about number {number}"
        )
    mia = django_user_model.objects.create_user("mia")
    Membership.objects.create(collection=fair.collection, user=mia, role="manager")
    grant_to(person=mia)
    token = make_token(user=mia, name="t", scopes=["read", "campaigns"], days=1)[1]

    def made(method: str, path: str, body: dict | str | None = None):
        sent = {} if method == "get" else {"data": json.dumps(body or {}), "content_type": "application/json"}
        if isinstance(body, str):
            sent = {"data": body, "content_type": "text/plain"}
        address = f"/api/v1/{path}"
        reply = getattr(Client(), method)(address, **sent, HTTP_AUTHORIZATION=f"Bearer {token}")
        return reply.status_code, reply.json() if reply.content else None

    return made


def check_of_gold(call):
    checks = call("get", "campaigns/first/check-list")[1]["checks"]
    return next(one for one in checks if one["name"] == "gold")


def gold_and_texts_are_accepted(call):
    assert call("post", "campaigns/first/gold/propose")[0] == 202
    work_off_everything()
    gold = call("get", "campaigns/first/gold?state=proposed")[1]
    assert gold["needed"] == 1
    assert gold["gold"][0]["relevant_text"].startswith("Everything worth knowing")
    decided = call("post", "campaigns/first/gold", {"accept": [gold["gold"][0]["id"]]})[1]
    assert decided["accepted"] == 1
    assert "1 task has no gold pair that fits" in check_of_gold(call)["words"]  # it asks the pair's question
    own = "".join(f"q{number} q{number}-a q{(number + 1) % 4}-c\n" for number in range(4))
    assert call("post", "campaigns/first/gold/file", own)[0] == 200
    assert check_of_gold(call)["passed"]
    assert call("put", "campaigns/first/texts", {"consent": "You agree.", "accept": True})[0] == 200
    assert call("patch", "campaigns/first/settings", {"budget": 10, "minimum_hourly": 5})[0] == 200
    assert call("put", "campaigns/first/texts", {"accept": True})[0] == 200


def test_a_pool_of_a_fraction_of_the_corpus(call):
    address = "collections/fair-collection/pools"
    asked = {"name": "part", "qrels": "official", "depth": 2, "fraction": 2, "fraction_seed": 4}

    assert call("post", address, asked)[0] == 202
    work_off_everything()

    facts = call("get", f"{address}/part")[1]
    assert (facts["fraction"], facts["fraction_seed"]) == (2, 4)
    pooled = Pool.objects.get(name="part").pooled_passages.values_list("passage__pid", flat=True)
    assert pooled
    assert all(Fraction(2, 4).holds(pid) for pid in pooled)
    assert call("post", address, {"name": "all", "fraction": 1})[0] == 422


def test_from_a_plan_to_a_launched_campaign(call, crowd):
    asked = {"qrels": "official", "runs": ["one"]}
    status, plan = call("post", "collections/fair-collection/pool-plan", asked)
    assert (status, plan["pairs"], plan["tasks"], plan["cost"]) == (200, 4, 1, 2.4)
    assert plan["runs"] == {"one": {"passages": 4, "unique": 4}}

    pool = "collections/fair-collection/pools"
    assert call("post", pool, asked | {"name": "tops"})[0] == 202
    assert call("post", pool, asked | {"name": "tops"})[0] == 202
    work_off_everything()
    status, work = call("post", pool, asked | {"name": "tops"})
    assert (status, work["state"], work["result"]) == (200, "done", {"pool": "tops"})
    assert call("post", pool, asked | {"name": "tops", "depth": 2})[0] == 409
    assert Pool.objects.filter(name="tops").count() == 1

    draft = {"name": "first", "pool": "tops", "gold_per_task": 1, "max_tasks_per_worker": 1}
    draft |= {"pairs_per_task": 2, "budget": 20}
    assert call("post", "collections/fair-collection/campaigns", draft)[0] == 201
    assert call("post", "collections/fair-collection/campaigns", draft)[0] == 200
    assert call("post", "collections/fair-collection/campaigns", draft | {"reward": 3})[0] == 409
    Campaign.objects.update(crowd="fake")

    gold_and_texts_are_accepted(call)
    status, checks = call("get", "campaigns/first/check-list")
    failed = [one["name"] for one in checks["checks"] if not one["passed"]]
    assert (checks["ready"], checks["amount"], failed) == (False, 10.0, ["strategies"])
    by_name = {one["name"]: one for one in checks["strategies"]}
    assert by_name["random"]["passes"] == [{"tasks": 1, "chance": 0.5}]
    assert checks["repeats"]["slip_rates"] == [0.0005, 0.0022, 0.01]
    assert checks["repeats"]["costs"] == sorted(checks["repeats"]["costs"])
    assert [row["rule"] for row in checks["screening"]] == ["reference", "two-strikes", "rate"]
    (best,) = [row["rule"] for row in checks["screening"] if row["recommended"]]
    changed = call("patch", "campaigns/first/settings", {"screen": "recommended"})
    assert (changed[0], Campaign.objects.get().screen) == (200, best)
    assert call("put", "campaigns/first/texts", {"accept": True})[0] == 200
    assert call("post", "campaigns/first/launch", {"confirm_spend": 9})[0] == 409
    agreed = {"confirm_spend": 10, "accept_weak_screening": True}
    assert "accept_weak_screening" in str(call("post", "campaigns/first/launch", {"confirm_spend": 10}))
    for _ in range(2):
        status, launched = call("post", "campaigns/first/launch", agreed)
        assert (status, launched["state"]) == (200, "open")
        work_off_everything()
    assert call("post", "campaigns/first/budget", {"amount": 30})[0] == 200
    assert call("post", "campaigns/first/launch", {"confirm_spend": 10})[0] == 200
    assert call("post", "campaigns/first/launch", {"confirm_spend": 30})[0] == 409
    assert Posting.objects.count() == 1
    assert Place.objects.count() == len(crowd.posted) == 2
    assert call("post", "campaigns/first/pause", {"why": "lunch"})[0] == 200


def test_a_draft_whose_limit_was_lowered_to_its_tasks_is_the_same_draft_again(call):
    asked = {"name": "small", "pool": Pool.objects.get().name}

    assert call("post", "collections/fair-collection/campaigns", asked)[0] == 201
    assert Campaign.objects.get(name="small").max_tasks_per_worker == 1
    assert call("post", "collections/fair-collection/campaigns", asked)[0] == 200
    assert (
        call("post", "collections/fair-collection/campaigns", asked | {"max_tasks_per_worker": 2})[0] == 409
    )


def test_a_repeated_pilot_is_offered_once(call, crowd):
    draft = {"name": "first", "pool": "fair-pool", "gold_per_task": 0}
    call("post", "collections/fair-collection/campaigns", draft)
    Campaign.objects.update(crowd="fake")
    call("put", "campaigns/first/texts", {"accept": True})

    assert call("post", "campaigns/first/pilot", {"tasks": 1, "confirm_spend": 2})[0] == 409
    for _ in range(2):
        assert call("post", "campaigns/first/pilot", {"tasks": 1, "confirm_spend": 2.4})[0] == 200
        work_off_everything()
    assert call("post", "campaigns/first/pilot", {"tasks": 1, "confirm_spend": 99})[0] == 409

    assert len(crowd.posted) == 1


def test_a_draft_is_renamed_and_deleted(call):
    call("post", "collections/fair-collection/campaigns", {"name": "first", "pool": "fair-pool"})

    assert call("post", "campaigns/first/rename", {"name": "autumn"})[1]["name"] == "autumn"
    assert call("post", "campaigns/autumn/rename", {"name": "autumn"})[0] == 200
    assert call("post", "campaigns/autumn/rename", {"name": "a b"})[0] == 422
    assert call("get", "campaigns/first")[0] == 404
    assert call("delete", "campaigns/autumn") == (204, None)
    assert not Campaign.objects.exists()


def test_a_draft_with_a_rehearsal_stays_and_says_why(call):
    call("post", "collections/fair-collection/campaigns", {"name": "first", "pool": "fair-pool"})
    first = Campaign.objects.get()
    Campaign.objects.create(
        name="copy", collection=first.collection, pool=first.pool, seed=1, rehearsal_of=first
    )

    status, problem = call("delete", "campaigns/first")

    assert (status, problem["detail"]) == (
        409,
        "Campaign first cannot be deleted: it has 1 rehearsal.",
    )


def test_a_better_than_perfect_campaign_is_created(call):
    asked = {"run": "one", "qrels": "official", "sample": 3, "reward": 1.5}
    where = "collections/fair-collection/better-than-perfect"

    status, plan = call("post", f"{where}/plan", asked)
    assert (status, plan["pairs"], plan["on_top"], plan["elsewhere"], plan["tasks"]) == (200, 3, 0, 3, 1)
    first = call("post", where, asked | {"name": "duel"})
    work_off_everything()
    again = call("post", where, asked | {"name": "duel"})

    assert (first[0], again[0], first[1]["id"]) == (202, 200, again[1]["id"])
    assert call("get", f"{where}/work/{first[1]['id']}")[1]["result"] == {"campaign": "duel"}
    assert call("get", "campaigns/duel")[1]["state"] == "draft"
    assert call("post", where, asked | {"name": "duel", "sample": 2})[0] == 409
    assert call("post", where, asked | {"name": "other", "run": "none"})[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "collections/fair-collection/pools", {"name": "a b"}),
        ("post", "collections/fair-collection/pools", {"name": "x", "runs": ["\x00"]}),
        ("post", "collections/fair-collection/pool-plan", {"depth": 0}),
        ("post", "collections/fair-collection/pool-plan", {"queries": ["nowhere"]}),
        ("post", "collections/fair-collection/campaigns", {"name": "\x00", "pool": "fair-pool"}),
        ("post", "collections/fair-collection/campaigns", {"name": "a", "pool": "nowhere"}),
        ("post", "collections/fair-collection/campaigns", {"name": "a", "pool": "fair-pool", "slip_rate": 3}),
        (
            "post",
            "collections/fair-collection/campaigns",
            {"name": "a", "pool": "fair-pool", "language": "xx"},
        ),
        ("post", "campaigns/nowhere/launch", {"confirm_spend": "x"}),
    ],
)
def test_invalid_values_return_problem_documents(call, method, path, body):
    status, problem = call(method, path, body)

    assert status in (400, 404, 409, 422)
    assert problem["status"] == status
    assert problem["title"]
