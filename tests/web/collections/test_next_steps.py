"""The check list on a collection's page: what is done, the next step, and who can take it."""

from types import SimpleNamespace

import pytest
from django.contrib.auth import get_user_model

from config import clock
from judging.models import Campaign, GradedCampaign
from pooling.models import Collection, Membership
from web.collections.next_steps import Holdings, collection_steps
from web.grading.summaries import GradedProgress

pytestmark = pytest.mark.django_db

COUNTS = ("queries", "passage_files", "runs", "qrel_sets", "pools", "versions", "new_runs")
NOTHING = {**dict.fromkeys(COUNTS, 0), "campaigns": []}


@pytest.fixture
def collection():
    return Collection.objects.create(name="mine")


def steps(collection: Collection, role: str, **held: int):
    person = get_user_model().objects.create_user(role)
    Membership.objects.create(collection=collection, user=person, role=role)
    return collection_steps(collection, Holdings(**{**NOTHING, **held}), person)


def test_passage_files_are_counted_with_the_queries(collection):
    assert steps(collection, "owner", queries=3, passage_files=1)[0].words == "3 queries, 1 passage file"


@pytest.mark.parametrize(
    ("held", "title"),
    [
        ({}, "Queries"),
        ({"queries": 3}, "Runs"),
        ({"queries": 3, "runs": 2}, "Labels"),
        ({"queries": 3, "runs": 2, "qrel_sets": 1}, "Pool"),
        ({"queries": 3, "runs": 2, "qrel_sets": 1, "pools": 1}, "Campaign"),
    ],
)
def test_the_first_undone_step_is_next(collection, held, title):
    marked = [step for step in steps(collection, "owner", **held) if step.is_next]

    assert [step.title for step in marked] == [title]
    assert marked[0].address
    assert not marked[0].who


def test_imported_judgments_need_no_pool(collection):
    imported = Campaign(collection=collection, name="elsewhere", state="draft", created_at=clock.now())
    progress = SimpleNamespace(campaign=imported, imported=True, wanted=0, counted=9)

    shown = steps(collection, "owner", queries=3, runs=2, qrel_sets=1, campaigns=[progress])

    assert [step.title for step in shown if step.is_next] == ["Version"]


def test_a_next_step_for_another_role_names_the_role(collection):
    held = {"queries": 3, "runs": 2, "qrel_sets": 1}

    pool = next(step for step in steps(collection, "maintainer", **held) if step.is_next)

    assert pool.title == "Pool"
    assert (pool.action, pool.address) == ("", "")
    assert pool.who == "an owner or a campaign manager"


def test_later_steps_are_not_assigned_to_anybody_yet(collection):
    assert not any(step.who for step in steps(collection, "viewer") if not step.is_next)


def grading(collection: Collection, **given) -> GradedProgress:
    ended = given.pop("ended_at", None)
    campaign = GradedCampaign(collection=collection, name="swell", ended_at=ended)
    return GradedProgress(
        campaign, **{"judged": 0, "topics": 3, "decided": 0, "accepted": 0, "labels": [], **given}
    )


@pytest.mark.parametrize(
    ("given", "title", "words", "action"),
    [
        (
            {"judged": 12, "decided": 1},
            "Graded campaign",
            "swell: 12 passages judged, 1 of 3 topics decided",
            "Open swell",
        ),
        (
            {"judged": 90, "decided": 3, "accepted": 2},
            "Graded labels",
            "The grades of accepted topics become labels that every run is scored with.",
            "Create labels",
        ),
        (
            {"ended_at": clock.now()},
            "Graded labels",
            "The grades of accepted topics become labels that every run is scored with.",
            "",
        ),
    ],
)
def test_a_graded_campaign_is_the_campaign_of_the_check_list(collection, given, title, words, action):
    held = {"queries": 3, "runs": 2, "qrel_sets": 1, "pools": 1, "graded": [grading(collection, **given)]}

    (marked,) = [step for step in steps(collection, "owner", **held) if step.is_next]

    assert (marked.title, marked.words, marked.action) == (title, words, action)


def test_with_graded_labels_nothing_is_left_to_do(collection):
    graded = grading(collection, judged=90, decided=3, accepted=2, labels=["ours", "first"])
    held = {"queries": 3, "runs": 2, "qrel_sets": 1, "pools": 1, "graded": [graded], "classes_fixed": True}

    shown = steps(collection, "owner", **held)

    assert all(step.done for step in shown)
    assert shown[-1].words == "2 qrel sets from graded campaigns"
    assert shown[-1].address == "/collections/mine/leaderboard/?version=none&official=ours"


def test_a_campaign_of_pairs_and_a_graded_one_both_have_steps(collection):
    pairs = Campaign(collection=collection, name="first", state="open", created_at=clock.now())
    progress = SimpleNamespace(campaign=pairs, imported=False, wanted=9, counted=3)
    held = {
        "queries": 3,
        "runs": 2,
        "qrel_sets": 1,
        "pools": 1,
        "campaigns": [progress],
        "classes_fixed": True,
    }

    shown = steps(collection, "owner", **held, graded=[grading(collection, judged=1)])

    assert [step.title for step in shown[4:]] == ["Graded campaign", "Graded labels", "Campaign", "Version"]
    assert [step.title for step in shown if step.is_next] == ["Graded campaign"]


def test_near_duplicates_are_an_optional_step_until_something_depends_on_them(collection):
    held = {"queries": 3, "runs": 2, "qrel_sets": 1}
    found = steps(collection, "owner", **held)
    known = steps(collection, "maintainer", **held, clusters=2)
    begun = steps(collection, "viewer", **held, classes_fixed=True)

    def about(listed):
        return [(step.words[:8], step.done) for step in listed if step.title == "Near-duplicates"]

    assert (about(found), about(known), about(begun)) == ([("Optional", False)], [("2 classe", True)], [])
    assert [step.title for step in found if step.is_next] == ["Pool"]
