"""The labels and the measure of a collection's leaderboard, unless a reader chooses others."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from leaderboard.board.default_measure import default_measure, set_default_measure
from leaderboard.errors import NothingToScore, UnknownMeasure
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.score_output import score_analysis
from leaderboard.scoring.scores import score
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


def test_a_maintainer_chooses_another_measure_and_readers_see_it(cast):
    maintainer = cast.clients["maintainer"]
    assert maintainer.get(PAGE).context["form"]["board_measure"].value() == "MRR@10"

    maintainer.post(PAGE, {"language": "en", "board_measure": "nDCG@10"})

    board = maintainer.get("/collections/harbour/leaderboard/")
    assert board.context["board"].published.mean == "nDCG@10"
    assert "measure=nDCG%4010" in board.context["board"].link
    chosen = maintainer.get("/collections/harbour/leaderboard/", {"measure": "AP"})
    assert chosen.context["board"].published.mean == "MAP"
    assert cast.collection.changes.filter(what__contains="nDCG@10 set as the leaderboard's").exists()


def test_the_command_and_the_api_choose_another_measure(cast):
    user = get_user_model().objects.get(username="maintainer")
    token = make_token(user=user, name="t", scopes=ApiToken.Scope.values, days=30)[1]
    caller = Client(headers={"Authorization": f"Bearer {token}"})
    call_command("leaderboard", "harbour", "--measure", "map", "--as-default")
    cast.collection.refresh_from_db()
    assert default_measure(cast.collection) == "AP"
    assert caller.get("/api/v1/collections/harbour/leaderboard").json()["measure"] == "MAP"

    changed = caller.patch(
        "/api/v1/collections/harbour",
        json.dumps({"board_measure": "nDCG@10"}),
        content_type="application/json",
    )
    refused = caller.patch(
        "/api/v1/collections/harbour",
        json.dumps({"board_measure": "ESL@10"}),
        content_type="application/json",
    )

    assert (changed.json()["board_measure"], refused.status_code) == ("nDCG@10", 422)
    assert caller.get("/api/v1/collections/harbour/leaderboard").json()["measure"] == "nDCG@10"
    with pytest.raises(UnknownMeasure, match="cannot be the leaderboard's default"):
        set_default_measure(collection=cast.collection, name="ESL@10", who="maintainer")


def test_any_measure_in_which_higher_is_better_can_be_the_default_while_labels_are_shown(cast):
    maintainer = cast.clients["maintainer"]
    wrong = maintainer.post(PAGE, {"language": "en", "board_measure": "nDGC@20"})

    maintainer.post(PAGE, {"language": "en", "board_measure": "ndcg@20"})

    assert wrong.status_code == 422
    assert "is not a measure" in wrong.content.decode()
    board = "/collections/harbour/leaderboard/"
    assert Client().get(board).context["board"].published.mean == "nDCG@20"
    cast.collection.qrel_sets.update(withheld=True)
    assert Client().get(board, {"version": "none"}).context["board"].published.mean == "MRR@10"
    cast.collection.refresh_from_db()
    with pytest.raises(UnknownMeasure, match="because labels are withheld"):
        set_default_measure(collection=cast.collection, name="nDCG@5", who="maintainer")


def test_runs_of_documents_are_not_ranked_under_labels_of_passages(graded_first):
    documents = make_run(graded_first, "whole", {"q1": ["D1"]})
    documents.details = {"task": "document"}
    documents.save()

    page = Client().get("/collections/lagoon/leaderboard/")

    assert [line.row.run for line in page.context["board"].page] == ["alpha"]
    assert "Document runs are left out: whole." in page.content.decode()
    told = Client().get("/api/v1/collections/lagoon/leaderboard").json()
    assert told["runs_left_out"] == ["whole"]


@pytest.fixture
def of_both_kinds(graded_first):
    """The collection with derived labels of documents, and with a run of documents."""
    of = graded_first.qrel_sets.get()
    make_qrels(graded_first, "whole texts", [("q1", "D1", 1)], mapped_from=of)
    whole = make_run(graded_first, "whole", {"q1": ["D1"]})
    whole.details = {"task": "document"}
    whole.save()
    return graded_first


def test_a_run_page_says_which_labels_do_not_apply(of_both_kinds):
    pages = {
        run.run_tag: Client().get(f"/collections/lagoon/runs/{run.pk}/") for run in of_both_kinds.runs.all()
    }

    assert [one.refused for one in pages["alpha"].context["values"]] == [
        "", "alpha retrieves passages, and these are labels of documents."
    ]  # fmt: skip
    assert [one.refused for one in pages["whole"].context["values"]] == [
        "whole retrieves documents, and these are labels of passages.", ""
    ]  # fmt: skip
    assert [one.name for one in pages["whole"].context["labels"]] == ["whole texts"]
    assert "retrieves documents, and these are labels of passages." in pages["whole"].content.decode()


def test_labels_of_unknown_kind_score_runs_of_documents(graded_first):
    graded_first.runs.update(details={"task": "document"})

    [values] = Client().get(f"/collections/lagoon/runs/{graded_first.runs.get().pk}/").context["values"]

    assert (values.refused, values.means[0]) == ("", 1.0)


def test_two_runs_of_different_kinds_are_not_compared(of_both_kinds):
    two = "/collections/lagoon/two-runs/"
    page = Client().get(two, {"a": "alpha", "b": "whole"}).content.decode()
    assert "whole retrieves documents and alpha passages, so no labels apply to both." in page
    make_run(of_both_kinds, "beta", {"q1": ["a"]})

    page = Client().get(two, {"a": "alpha", "b": "beta", "labels": "whole texts"}).content.decode()

    assert "alpha retrieves passages, and these are labels of documents." in page


def test_scores_leave_out_runs_of_the_other_kind(of_both_kinds):
    def scores(*runs):
        return score(
            collection=of_both_kinds,
            labels=labels_named(of_both_kinds, "graded"),
            runs=runs,
            measures="RR@10",
        )

    alpha, whole = of_both_kinds.runs.order_by("run_tag")
    analysis = score_analysis(scores(alpha, whole))

    assert analysis.sentences == ("Document runs are left out: whole.",)
    assert analysis.content["runs_left_out"] == ["whole"]
    assert [row["run"] for row in analysis.content["rows"]] == ["alpha"]
    with pytest.raises(NothingToScore, match="whole retrieves documents, and these are labels of passages"):
        scores(whole)


def test_headings_name_other_labels_than_the_official_ones(member, published):
    published.collection.board_labels = make_qrels(published.collection, "second", [("q1", "a", 1)])
    published.collection.save()

    def page(address):
        return member.get(f"/collections/harbour/{address}").content.decode()

    board, runs = page("leaderboard/"), page("runs/")
    query = page(f"versions/1/queries/{published.query('q1').pk}/")

    assert "second MRR@10" in board
    assert "second rank</a>" in board
    assert "second MRR@10" in runs
    assert "<dt>second</dt>" in query
    assert not any("Official MRR" in page or "Official rank" in page for page in (board, runs))
