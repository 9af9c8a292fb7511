"""A team describes and releases its own run: what it can change, and what the submission fixed."""

import json

import pytest

from pooling.errors import PoolingError
from pooling.models import Run
from pooling.runs.run_descriptions import describe_run
from pooling.teams.submission_policies import set_policy

from .conftest import CLOSES

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def run(board):
    """The honest team's unreleased run."""
    return board.send(
        "honest", "fair", [("q1", "a"), ("q2", "a2")], detail="subtask=rerank", description="first words"
    ).run


def page_of(run, action):
    return f"/collections/harbour/runs/{run.pk}/{action}/"


def patched(board, name, run, **changes):
    return board.clients[name].patch(
        f"/api/v1/collections/harbour/runs/{run.pk}",
        json.dumps(changes),
        content_type="application/json",
        HTTP_AUTHORIZATION=f"Bearer {board.tokens[name]}",
    )


def test_a_team_describes_its_unreleased_run(board, run):
    team = f"/collections/harbour/teams/{board.teams['honest'].pk}/"
    assert page_of(run, "describe") in board.get("honest", team).content.decode()
    form = board.get("honest", page_of(run, "describe")).context["form"]

    reply = board.clients["honest"].post(
        page_of(run, "describe"), {"description": "better words", "paper": "https://example.org/p"}
    )

    assert {"team", "submitted_on", "baseline", "subtask", "priority"}.isdisjoint(form.fields)
    assert (reply.status_code, reply["Location"]) == (302, f"/collections/harbour/runs/{run.pk}/")
    run.refresh_from_db()
    assert (run.description, run.team, run.details["subtask"]) == ("better words", "honest", "rerank")
    assert board.collection.changes.filter(who="honest", what="run fair described").exists()


def test_a_team_opens_its_run_and_cannot_close_it(board, run):
    asked = board.get("honest", page_of(run, "release") + "?release=scores").content.decode()
    assert "Release <bdi>fair</bdi> as scores" in asked
    board.clients["honest"].post(page_of(run, "release"), {"release": "scores"})
    assert "fair" in board.get(None, "/collections/harbour/leaderboard/").content.decode()

    back = board.clients["honest"].post(page_of(run, "release"), {"release": "private"}, follow=True)

    assert "a team cannot undo that" in back.content.decode()
    run.refresh_from_db()
    assert run.release == Run.Release.SCORES
    page = board.get("honest", f"/collections/harbour/runs/{run.pk}/").content.decode()
    assert "<option>public</option>" in page
    assert page_of(run, "withdraw") not in page


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"team": "late"}, "team"),
        ({"submitted_on": "2026-01-01"}, "submitted_on"),
        ({"baseline": True}, "baseline"),
        ({"details": {"subtask": "fullrank"}}, "subtask"),
        ({"details": {"priority": 1}}, "priority"),
        ({"details": {"task": "document"}}, "task"),
        ({"details": {"reported": {"nDCG@10": 0.99}}}, "reported"),
    ],
)
def test_details_that_a_runs_acceptance_depended_on_are_fixed(board, run, changes, named):
    reply = patched(board, "honest", run, **changes)

    assert 400 <= reply.status_code < 500
    assert f"cannot change this after the submission: {named}" in reply.json()["detail"]
    before = (run.team, run.submitted_on, run.baseline, run.details)
    run.refresh_from_db()
    assert (run.team, run.submitted_on, run.baseline, run.details) == before


@pytest.mark.parametrize("reported", ["x", [1], {"nDCG@10": "0.7"}, {"nDCG@10": float("nan")}, {"": 0.5}])
def test_values_reported_by_a_track_must_be_numbers(board, run, reported):
    with pytest.raises(PoolingError, match="must contain numbers by measure"):
        describe_run(run=run, changes={"details": {"reported": reported}}, who="mia")

    Run.objects.filter(pk=run.pk).update(details=run.details | {"reported": "x"})  # of an earlier version
    assert board.get(None, "/collections/harbour/analyses/track_results/").status_code == 200


def test_the_policy_binds_a_team_that_edits(board, run):
    set_policy(
        collection=board.collection, most_runs=9, period_days=1, required=["subtask", "description"],
        longest_embargo_days=30,
    )  # fmt: skip

    emptied = patched(board, "honest", run, description="")
    long = patched(board, "honest", run, anonymous_until="2027-01-01")
    fine = patched(board, "honest", run, anonymous_until="2026-08-10", details={"neural": "nn"})

    assert "would remove required details" in emptied.json()["detail"]
    assert "cannot stay anonymous until 2027-01-01" in long.json()["detail"]
    assert fine.status_code == 200, fine.content
    assert fine.json()["details"] == {"subtask": "rerank", "neural": "nn"}


def test_a_team_cannot_take_its_name_off_a_run_that_everybody_saw(board, run):
    set_policy(collection=board.collection, most_runs=9, period_days=1, longest_embargo_days=400)
    Run.objects.filter(pk=run.pk).update(release=Run.Release.SCORES, anonymous_until=None)

    hidden = patched(board, "honest", run, anonymous_until="2027-01-01")
    described = patched(board, "honest", run, description="as before")

    assert "a team cannot hide the name again" in hidden.json()["detail"]
    assert described.status_code == 200
    run.refresh_from_db()
    assert run.anonymous_until is None


def test_no_other_team_and_no_visitor_changes_it(board, run):
    for action in ("describe", "release"):
        assert board.get("late", page_of(run, action)).status_code == 403
        assert board.get(None, page_of(run, action)).status_code in (302, 403)
    assert patched(board, "late", run, description="mine").status_code == 403
    assert patched(board, "honest", Run.objects.get(run_tag="quay"), description="mine").status_code == 403

    run.refresh_from_db()
    assert run.description == "first words"


def test_the_uploads_lead_a_submitter_to_the_team_and_a_member_to_the_next_step(board, run):
    uploads = "/collections/harbour/uploads/"
    own, owners = board.get("honest", uploads), board.cast.clients["owner"].get(uploads)

    team = f'<a href="/collections/harbour/teams/{board.teams["honest"].pk}/">Runs of <bdi>honest</bdi></a>'
    assert team in own.content.decode()
    assert "Next step" not in own.content.decode()
    assert '<a href="/collections/harbour/">Next step</a>' in owners.content.decode()


def test_the_hash_of_a_run_under_embargo_is_for_its_team_and_members(board, run):
    Run.objects.filter(pk=run.pk).update(release="public", anonymous_until=CLOSES.date())
    page, api = f"/collections/harbour/runs/{run.pk}/", "/api/v1/collections/harbour/runs"

    for reader in ("late", None):
        assert run.sha256 not in board.get(reader, page).content.decode()
        assert run.sha256 not in board.get(reader, api).content.decode()
        assert board.get(reader, f"{api}/{run.pk}").json()["sha256"] == ""
    assert run.sha256 in board.get("honest", page).content.decode()
    assert board.get("honest", f"{api}/{run.pk}").json()["sha256"] == run.sha256
    Run.objects.filter(pk=run.pk).update(anonymous_until=None)
    assert run.sha256 in board.get(None, page).content.decode()


def test_the_counts_of_lines_and_ties_of_a_hidden_file_are_for_its_team_and_members(board, run):
    report = run.report | {"lines": 43217, "tied_lines": 405, "tied_tops": 3, "warnings": ["405 tied lines"]}
    Run.objects.filter(pk=run.pk).update(release="scores", anonymous_until=CLOSES.date(), report=report)
    page, api = f"/collections/harbour/runs/{run.pk}/", f"/api/v1/collections/harbour/runs/{run.pk}"

    for reader in ("late", None):
        assert set(board.get(reader, api).json()["report"]) == {"queries", "depth", "unanswered"}
        told = board.get(reader, page).content.decode()
        assert [words for words in ("43,217", "405 tied", "3 queries with a tie") if words in told] == []
    assert board.get("honest", api).json()["report"]["lines"] == 43217
    assert "405 tied lines" in board.get("honest", page).content.decode()
    Run.objects.filter(pk=run.pk).update(release="public")
    assert board.get(None, api).json()["report"]["tied_lines"] == 405
