"""The labels of a collection's leaderboard: the first set, unless somebody chooses another."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from leaderboard.scoring.chosen_runs import official_set
from tests.factories import make_collection, make_qrels, make_run

pytestmark = pytest.mark.django_db

PAGE = "/collections/harbour/about/"


@pytest.fixture
def graded_first():
    """A published collection whose first labels are graded, with official ones added later."""
    made = make_collection("lagoon", ["q1"], visibility="published")
    make_run(made, "alpha", {"q1": ["a"]})
    make_qrels(made, "graded", [("q1", "a", 2)], kind="graded")
    return made


def test_labels_that_come_later_do_not_change_the_board(graded_first):
    make_qrels(graded_first, "official", [("q1", "b", 1)], kind="official")

    page = Client().get("/collections/lagoon/leaderboard/").content.decode()

    assert official_set(graded_first).name == "graded"
    assert "of every run of lagoon under graded" in page
    assert "graded (default)" in page


def test_a_maintainer_chooses_other_labels_on_the_page(cast):
    second = make_qrels(cast.collection, "second", [("q1", "b", 1)])
    maintainer = cast.clients["maintainer"]
    form = maintainer.get(PAGE).context["form"]
    assert form["board_labels"].value() == "official"

    maintainer.post(PAGE, {"language": "en", "board_labels": "second"})

    cast.collection.refresh_from_db()
    assert official_set(cast.collection) == second
    assert cast.collection.changes.filter(
        who="maintainer", what__contains="second set as the leaderboard's default labels"
    ).exists()


def test_the_command_and_the_api_choose_other_labels(cast):
    make_qrels(cast.collection, "second", [("q1", "b", 1)])
    call_command("describe_collection", "harbour", "--board-labels", "second")
    cast.collection.refresh_from_db()
    assert official_set(cast.collection).name == "second"
    user = get_user_model().objects.get(username="maintainer")
    token = make_token(user=user, name="t", scopes=ApiToken.Scope.values, days=30)[1]
    caller = Client(headers={"Authorization": f"Bearer {token}"})

    changed = caller.patch(
        "/api/v1/collections/harbour",
        json.dumps({"board_labels": "official"}),
        content_type="application/json",
    )
    unknown = caller.patch(
        "/api/v1/collections/harbour", json.dumps({"board_labels": "none"}), content_type="application/json"
    )

    assert (changed.status_code, unknown.status_code) == (200, 404)
    sets = caller.get("/api/v1/collections/harbour/qrel-sets").json()
    assert {one["name"]: one["default"] for one in sets} == {"official": True, "second": False}
