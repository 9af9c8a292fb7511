"""A board's rules: viewing and changing its submission policy and private queries, on pages and over HTTP."""

from datetime import timedelta

import pytest
import time_machine
from playwright.sync_api import expect

from config import clock
from pooling.labels.query_splits import private_qids
from pooling.models import QuerySplit, SubmissionPolicy
from pooling.teams.rounds import set_round
from pooling.teams.submission_policies import set_policy
from tests.accessibility import Inspector
from tests.chromium import follow
from tests.web.api_caller import api as api, problem
from tests.web.preparing_cast import texts

pytestmark = pytest.mark.one_database

POLICY = "/collections/harbour/policy/"
SPLIT = "/collections/harbour/split/"
ASKED = {
    "most_runs": "1",
    "period_days": "30",
    "most_variants": "0",
    "required": ["description"],
    "longest_embargo_days": "9",
    "why": "spring round",
}


@pytest.fixture
def owner(cast):
    return cast.clients["owner"]


def test_an_owner_sets_a_policy_and_everybody_reads_it(cast, owner):
    assert "There is no policy" in texts(owner.get(POLICY))

    owner.post(POLICY, ASKED)
    owner.post(POLICY, ASKED | {"why": "once more"})  # this changes nothing

    outside = texts(cast.clients["stranger"].get(POLICY))
    assert "1 run per team in any 30 consecutive days" in outside
    assert "team, description" in outside
    assert "Usage by team" not in outside
    assert "spring round" not in outside
    change = cast.collection.changes.get()
    assert change.who == "owner"
    assert change.what == (
        "submission policy set: 1 run per team in 30 days, no variants; team, description; "
        "anonymous for at most 9 days (spring round)"
    )


def test_a_board_with_rounds_does_not_promise_runs_at_any_time(cast, owner):
    opens, closes = clock.now(), clock.now() + timedelta(days=1)
    set_round(
        collection=cast.collection, name="2026", opens_at=opens, closes_at=closes, most_runs=2, who="owner"
    )

    said = texts(owner.get(POLICY))

    assert "only the rounds limit what teams submit" in said
    assert "at any time" not in said


def test_members_see_when_each_team_can_submit_again(cast):
    cast.quay.team, cast.quay.submitted_on = "Otters", "2026-03-10"
    cast.quay.save()
    set_policy(collection=cast.collection, most_runs=1, period_days=30)

    with time_machine.travel("2026-03-20 12:00", tick=False):
        said = texts(cast.clients["viewer"].get(POLICY))

    assert "Otters 1 0 2026-04-09 2026-04-09" in said


def test_a_policy_is_removed_with_a_reason(cast, owner):
    set_policy(collection=cast.collection, most_runs=1, period_days=30)

    owner.post(f"{POLICY}drop", {"why": ""})
    assert SubmissionPolicy.objects.exists()
    owner.post(f"{POLICY}drop", {"why": "over"})

    assert not SubmissionPolicy.objects.exists()
    assert cast.collection.changes.latest("pk").what == "submission policy deleted (over)"


@pytest.mark.parametrize("name", ["most_runs", "period_days", "most_variants", "longest_embargo_days"])
def test_invalid_numbers_are_explained_at_their_field(cast, owner, name):
    for value in ("-1", "x", "9" * 30, ""):
        assert owner.post(POLICY, ASKED | {name: value}).status_code == 422
    assert not SubmissionPolicy.objects.exists()


def test_only_owners_change_rules(cast):
    for person in ("maintainer", "manager", "viewer"):
        assert cast.clients[person].post(POLICY, ASKED).status_code == 403
        assert cast.clients[person].post(SPLIT, {"qids": "q1", "sure": "1"}).status_code == 403


def test_queries_become_private_after_a_preview_and_stay_private(cast, owner):
    asked = texts(owner.post(SPLIT, {"qids": "q1\r\n\r\nq2\r\n"}))
    assert "Make 2 queries of harbour private" in asked
    assert "everybody could see results" in asked
    assert not QuerySplit.objects.exists()

    owner.post(SPLIT, {"qids": "q1\r\nq2", "sure": "1"})
    again = texts(owner.post(SPLIT, {"share": "34", "seed": "1", "sure": "1"}, follow=True))

    assert private_qids(cast.collection) == {"q1", "q2"}
    assert "already has other private queries" in again
    assert "by a list" in again
    change = cast.collection.changes.get()
    assert (change.what, change.who) == ("2 queries made private permanently", "owner")


def test_a_share_is_drawn_the_same_from_the_same_seed(cast, owner):
    first, second = (texts(owner.post(SPLIT, {"share": "34", "seed": "7"})) for _ in range(2))
    owner.post(SPLIT, {"share": "34", "seed": "7", "sure": "1"})

    (qid,) = private_qids(cast.collection)
    assert f"Private: {qid} ." in first.replace(f"{qid}.", f"{qid} .")
    assert first.split("Make 1 query")[1] == second.split("Make 1 query")[1]
    assert "34% of the queries, drawn with seed 7" in texts(owner.get(SPLIT))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "not both"),
        ({"share": "50", "qids": "q1"}, "not both"),
        ({"qids": "q1 q9\nq7"}, ": q7."),
        ({"qids": "q1\nq1"}, "contains a query twice"),
        ({"qids": "q1\nq2\nq3"}, "3 of 3 queries would be private"),
        ({"share": "1"}, "0 of 3 queries would be private"),
        ({"share": "100"}, "Enter 99 or less."),
        ({"share": "50", "seed": "-1"}, "Enter 0 or more."),
    ],
)
def test_a_split_with_an_empty_part_is_refused(cast, owner, said, words):
    reply = owner.post(SPLIT, said | {"sure": "1"})

    assert reply.status_code == 422
    assert words in texts(reply)
    assert not QuerySplit.objects.exists()


def test_a_script_sets_reads_and_drops_a_policy(api, published):
    put = {"content_type": "application/json", "headers": api.headers}
    address = "/api/v1/collections/harbour/policy"
    rules = {"most_runs": 2, "period_days": 30, "required": ["paper"], "why": "spring"}

    made = api.client.put(address, rules, **put).json()
    assert made.pop("warnings") == []
    assert made == api.get("/collections/harbour/policy").json()
    assert (made["required"], made["most_variants"]) == (["team", "paper"], 1)
    assert api.client.delete(f"{address}?why=over", headers=api.headers).status_code == 204
    assert "no submission policy" in problem(api.get("/collections/harbour/policy"), 404)["detail"]
    assert published.collection.changes.latest("pk").who == "olga"


def test_a_script_splits_queries_once(api, published):
    address = "/collections/harbour/query-split"

    seen = api.post(address, {"share": 0.34, "seed": 7, "dry_run": True}).json()
    assert (seen["done"], seen["private"], seen["public"]) == (False, 1, 2)
    assert not QuerySplit.objects.exists()
    for _ in range(2):
        made = api.post(address, {"share": 0.34, "seed": 7}).json()
    assert (made["done"], made["private_qids"]) == (True, seen["private_qids"])
    assert api.get(address).json() == made
    problem(api.post(address, {"qids": ["q1", "q2"]}), 409)
    problem(api.post(address, {"qids": ["q1"], "share": 0.5}), 422)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_an_owner_sets_the_rules_in_a_browser(cast, page, live_server):
    cast.quay.team = "Otters"
    cast.quay.save()
    session = cast.clients["owner"].cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    inspector = Inspector()
    page.goto(f"{live_server.url}/collections/harbour/settings/")
    follow(page.get_by_role("link", name="Submission policy"))
    inspector.look(page, "no policy")
    page.get_by_label("Longest time to stay anonymous").fill("90")
    page.get_by_label("Why").fill("spring round")
    page.get_by_role("button", name="Set policy of harbour").click()
    expect(page.locator("#teams")).to_contain_text("Otters")
    inspector.look(page, "a policy")

    page.goto(f"{live_server.url}/collections/harbour/settings/")
    page.get_by_role("link", name="Private queries").click()
    page.get_by_role("button", name="Preview the split").click()
    expect(page.get_by_role("alert").first).to_contain_text("not both")
    inspector.look(page, "a choice to make")
    page.get_by_label("Share of queries to draw").fill("34")
    follow(page.get_by_role("button", name="Preview the split"))
    inspector.look(page, "a look before")
    page.get_by_role("button", name="Make 1 query of harbour private").click()
    expect(page.get_by_role("status").first).to_contain_text("1 query is now private")
    inspector.look(page, "private permanently")
    assert inspector.faults == []


def test_the_split_page_says_how_many_labeled_queries_are_on_either_side(cast, owner):
    cast.collection.queries.create(qid="q9", text="unlabeled?", position=99)

    shown = owner.post(SPLIT, {"qids": "q9", "seed": "1"})
    other = owner.post(SPLIT, {"qids": "q1\nq9", "seed": "1"})

    assert (shown.context["private"], shown.context["private_labeled"]) == (1, 0)
    assert "None of the private queries is labeled" in texts(shown)
    assert (other.context["private_labeled"], other.context["public_labeled"]) == (1, 2)
    assert "the 2 public queries labeled in official; 1 labeled query is private" in texts(other)


def test_the_split_page_says_whose_texts_are_shown(cast, owner):
    assert "Non-members do not see the texts of private queries either." in texts(owner.get(SPLIT))

    owner.post(SPLIT, {"qids": "q1", "sure": "1"})

    assert "they see the texts of 2 of 3 queries." in texts(owner.get(SPLIT))
