"""Analyses over HTTP: listed, run as jobs, read as data."""

import pytest

from config.background.models import Job
from leaderboard.analyses import runner
from leaderboard.analyses.registry import KINDS
from pooling.models import Collection, QrelSet, Run
from tests.due_jobs import work_off_everything
from tests.factories import make_collection, make_qrels
from tests.web.versions.test_api_versions import Script

pytestmark = pytest.mark.one_database

ANALYSES = "/api/v1/collections/harbour/analyses"


@pytest.fixture
def script(cast, monkeypatch):
    """Return a member's API calls; figures are not drawn, because that takes seconds."""
    monkeypatch.setattr(runner, "figure_image", lambda figure, form: b"")
    return Script()


def test_every_analysis_is_listed_with_its_settings(script):
    listed = {row["name"]: row for row in script.get(ANALYSES).json()}

    assert listed.keys() == KINDS.keys()
    trials = next(one for one in listed["stability"]["settings"] if one["name"] == "trials")
    assert (trials["least"], trials["most"]) == (1, 10_000)
    assert "harbour" in str(listed["board_agreement"]["settings"]) or listed["board_agreement"]["needs"]


def test_an_analysis_is_run_once_and_read_as_data(script):
    asked = {"runs": ["quay", "mole"], "settings": {"trials": 20, "qrels": "official"}}

    work = script.post(f"{ANALYSES}/stability", asked)
    again = script.post(f"{ANALYSES}/stability", asked)
    work_off_everything()
    made = script.get(f"{ANALYSES}/work/{work['id']}").json()
    kept = script.post(f"{ANALYSES}/stability", asked, 200)

    assert again["id"] == work["id"]
    assert made["state"] == kept["state"] == "done"
    assert made["result"] == kept["result"]
    assert made["result"]["facts"]["runs"] == ["mole", "quay"]


@pytest.mark.parametrize("kind", ["stability", "compare", "progress", "two_boards"])
def test_without_released_runs_no_job_is_started_for_everyone(script, kind):
    Run.objects.update(release="private")

    refused = script.post(f"{ANALYSES}/{kind}", {"released": True}, 422)

    assert refused["detail"].startswith("harbour has no runs for everyone to see.")
    assert not Job.objects.exists()


def test_the_result_of_a_job_is_refused_once_the_other_collection_is_private(script):
    other = make_collection("cove", ["q1"], visibility="published")
    make_qrels(other, "graded", [("q1", "a", 1)])
    work = script.post(f"{ANALYSES}/reusability", {"settings": {"against": "cove/graded"}})
    work_off_everything()
    assert script.get(f"{ANALYSES}/work/{work['id']}").json()["result"]

    Collection.objects.filter(pk=other.pk).update(visibility="private")

    refused = script.get(f"{ANALYSES}/work/{work['id']}", 422).json()
    assert "The labels cove/graded cannot be used here" in refused["detail"]


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ({"settings": {"trails": 20}}, 422, "trails"),
        ({"settings": {"trials": 0}}, 422, "Resamples"),
        ({"runs": ["nobody"]}, 404, "nobody"),
        ({"sample": 3}, 422, "sample"),
    ],
)
def test_invalid_values_are_refused_with_a_reason(script, asked, status, said):
    reply = script.client.post(
        f"{ANALYSES}/stability", asked, content_type="application/json", headers=script.headers
    )

    assert reply.status_code == status
    assert said in reply.content.decode()


def test_a_member_who_asks_for_everybody_is_told_of_the_other_audience(script):
    QrelSet.objects.update(withheld=True)

    refused = script.post(f"{ANALYSES}/stability", {"released": True}, 422)
    for_members = script.post(f"{ANALYSES}/stability", {"settings": {"trials": 20}})

    assert "would reveal more about the withheld labels" in str(refused)
    assert "To see it as a member, change “released”." in str(refused)
    assert "sign in" not in str(refused).lower()
    assert for_members["state"] == "waiting"
