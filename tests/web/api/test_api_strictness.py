"""The API rejects unknown parameters and fields, bodies that are too large, and invalid files, with a reason."""

import gzip
from datetime import timedelta

import pytest

from config import clock
from judging.models import Campaign
from pooling.models import Round, Run, RunUpload, SubmissionPolicy
from pooling.teams.submission_policies import drop_policy, set_policy
from tests.due_jobs import work_off_everything
from tests.web.api_caller import RUN, RUNS, api as api, problem
from tests.web.runs.test_api_uploads import announce, send_part
from web import api_urls as strict
from web.api_routers import api as description
from web.common.directions import CALLS

pytestmark = pytest.mark.one_database


def test_a_misspelled_parameter_imports_nothing(api):
    said = problem(api.send(options="file_name=sent.txt&checkonly=true&relase=public"), 422)

    assert said["problems"] == [
        {"where": "query/checkonly", "reason": "Unknown parameter `checkonly`. Did you mean `check_only`?"},
        {"where": "query/relase", "reason": "Unknown parameter `relase`. Did you mean `release`?"},
    ]
    assert not RunUpload.objects.exists()


@pytest.mark.parametrize(
    ("address", "body", "field"),
    [
        ("/campaigns/spring/challenges", {"runs": ["quay"], "dryrun": True}, "dryrun"),
        ("/campaigns/spring/publishing", {"dryrun": True}, "dryrun"),
        ("/collections/harbour/campaigns", {"name": "next", "pool": "tide", "rewrd": 9}, "rewrd"),
    ],
)
def test_a_misspelled_field_does_nothing(api, address, body, field):
    said = problem(api.post(address, body), 422)

    assert said["problems"] == [{"where": f"body/{field}", "reason": f"Unknown field `{field}`."}]
    assert said["next_step"].startswith("Fix the problems listed")


def test_booleans_must_be_true_or_false(api):
    said = problem(api.post("/campaigns/spring/challenges", {"runs": ["quay"], "dry_run": 0}), 422)

    assert said["problems"][0]["where"] == "body/dry_run"


def test_only_previewed_changes_are_published(api):
    assert "the dry run returned" in problem(api.post("/campaigns/spring/publishing", {}), 422)["detail"]


def test_a_body_that_is_too_large_is_not_a_server_error(api, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    said = problem(api.post("/campaigns/spring/pause", {"why": "x" * 2000}), 413)

    assert said["detail"] == "A JSON body can have at most 1,000 bytes."


def test_a_form_is_not_accepted_as_a_file(api):
    headers = api.headers | {"Idempotency-Key": "k"}
    reply = api.client.post(RUNS, {"file": "q1 Q0 a 1 1.0 sent"}, headers=headers)

    assert "--data-binary" in problem(reply, 415)["detail"]
    assert not RunUpload.objects.exists()


def test_an_invalid_setting_is_named_by_its_field(api):
    bad = {"name": "next", "pool": "tide", "pairs_per_task": 0}
    assert "“pairs_per_task” must be between" in str(
        problem(api.post("/collections/harbour/campaigns", bad), 422)
    )


def test_head_is_answered_like_get_without_a_body(api):
    address = "/api/v1/collections/harbour/versions/1/qrels"
    read = api.client.get(address, headers=api.headers)
    head = api.client.head(address, headers=api.headers)

    assert (head.status_code, head["ETag"], head.content) == (200, read["ETag"], b"")
    judgments = api.client.head("/api/v1/campaigns/spring/judgments", headers=api.headers)
    assert (judgments.status_code, b"".join(judgments.streaming_content)) == (200, b"")
    assert api.client.head("/api/v1/campaigns/spring/pause", headers=api.headers).status_code == 405


def test_a_refused_file_is_checked_again_when_it_is_resent(api, published):
    collection = published.collection
    set_policy(collection=collection, who="olga", most_runs=9, period_days=30, required=["team"])
    first = api.send().json()
    work_off_everything()
    assert api.get(f"/collections/harbour/uploads/{first['id']}").json()["state"] == "refused"

    drop_policy(collection=collection, who="olga", why="over")
    again = api.send()
    assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, first["id"], "waiting")
    assert again.json()["problems"] == []
    work_off_everything()

    assert api.get(f"/collections/harbour/uploads/{first['id']}").json()["state"] == "imported"
    assert Run.objects.filter(run_tag="sent").count() == 1
    assert not SubmissionPolicy.objects.exists()
    assert api.send().json()["state"] == "imported"


def test_a_refused_file_in_parts_starts_over(api):
    bad = RUN.replace(b"2.0", b"two")
    where = announce(api, bad)["Location"]
    send_part(api, where, bad, 0)
    work_off_everything()
    assert announce(api, bad)["Upload-Offset"] == "0"

    send_part(api, where, RUN, 0)
    work_off_everything()

    mended = api.client.get(where, headers=api.headers).json()
    assert (mended["state"], mended["received_bytes"]) == ("imported", len(RUN))
    assert RunUpload.objects.count() == 1


def test_a_run_has_a_limit_of_its_own(api, settings):
    settings.MAX_RUN_BYTES = len(RUN) - 1
    sent = api.send(gzip.compress(RUN), options="file_name=sent.txt.gz")
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert upload["state"] == "refused"
    assert "PREFEREE_MAX_RUN_BYTES" in upload["problems"][0]["next_step"]


def test_the_parameters_of_every_call_are_known():
    """A call whose address differs from the document would accept any parameter."""
    routes, _, _ = description.urls
    known = {address for _, address in strict._parameters_of_calls()}

    missing = {str(one.pattern) for one in routes} - {"openapi.json", ""}
    assert {strict._CONVERTED.sub(r"{\1}", route) for route in missing} <= known


def test_every_call_named_in_messages_exists():
    paths = description.get_openapi_schema()["paths"]
    for call, _ in CALLS.values():
        method, address = call.format(name="{name}").split()
        assert method.lower() in paths[f"/api/v1{address}"], call


def test_a_second_launch_with_another_amount_is_a_conflict(api):
    Campaign.objects.filter(name="spring").update(confirmed_at_launch="10.00", confirmed_spend="90.00")

    assert api.post("/campaigns/spring/launch", {"confirm_spend": 10}).status_code == 200
    said = problem(api.post("/campaigns/spring/launch", {"confirm_spend": 90}), 409)["detail"]
    assert said == "Campaign spring is already open, launched with $10.00 confirmed. Nothing changed."


def test_a_request_that_only_the_present_state_prevents_is_a_conflict(api, published):
    team = {"name": "Otters"}
    assert api.post("/collections/harbour/teams", team).status_code == 201
    assert "already exists" in problem(api.post("/collections/harbour/teams", team), 409)["detail"]
    problem(api.post("/collections/harbour/teams", {"name": " "}), 422)

    now = clock.now()
    planned = Round.objects.create(
        collection=published.collection,
        name="2026",
        opens_at=now,
        closes_at=now + timedelta(days=1),
        most_runs=9,
    )
    Run.objects.filter(pk=published.collection.runs.first().pk).update(round=planned)
    where = "/api/v1/collections/harbour/rounds/2026"
    assert "has runs" in problem(api.client.delete(where, headers=api.headers), 409)["detail"]
