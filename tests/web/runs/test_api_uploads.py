"""Runs sent over the API, whole and in parts: accepted files, and refusals with reasons."""

import hashlib
import io

import pytest
from django.http import UnreadablePostError

from pooling.errors import UploadRefused
from pooling.intake.run_transfers import receive
from pooling.models import Membership, Run, RunUpload
from tests.due_jobs import work_off_everything
from tests.factories import make_collection
from tests.web.api_caller import RUN, api as api, problem

pytestmark = pytest.mark.one_database


def test_a_run_is_sent_checked_and_ranked(api):
    sent = api.send(options="file_name=sent.txt&team=harbourers&release=scores&submitted_on=2026-01-31")
    assert sent.status_code == 202
    assert sent.json()["state"] == "waiting"
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert (upload["state"], upload["problems"]) == ("imported", [])
    run = api.get(f"/collections/harbour/runs/{upload['run_id']}").json()
    assert (run["run_tag"], run["team"], run["release"], run["submitted_on"]) == (
        "sent", "harbourers", "scores", "2026-01-31",
    )  # fmt: skip
    board = api.get("/collections/harbour/leaderboard").json()
    assert "sent" in {row["run"] for row in board["rows"]}
    assert {row["rank_preference"] for row in board["rows"] if row["run"] == "sent"} <= {1, 2, 3, 4}


def test_a_run_without_a_release_level_is_private(api):
    api.send()
    announced = announce(api, b"q1 Q0 b 1 2.0 parts\n")
    send_part(api, announced["Location"], b"q1 Q0 b 1 2.0 parts\n", 0)
    work_off_everything()

    assert set(Run.objects.filter(run_tag__in=["sent", "parts"]).values_list("release")) == {("private",)}
    assert Run.objects.filter(run_tag__in=["sent", "parts"]).count() == 2
    shown = api.client.get("/api/v1/collections/harbour/runs").json()["runs"]
    assert not {"sent", "parts"} & {run["run_tag"] for run in shown}


def test_an_uploaded_file_is_deleted_after_its_check(api, data_dir):
    api.send()
    assert len(list((data_dir / "runs" / "uploads").iterdir())) == 1
    work_off_everything()

    assert list((data_dir / "runs" / "uploads").iterdir()) == []
    assert list((data_dir / "incoming").iterdir()) == []


def test_a_bad_line_is_named(api):
    sent = api.send(b"q1 Q0 a 1 2.0 sent\nq1 Q0 b two\n")
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert (upload["state"], upload["run_id"]) == ("refused", None)
    assert upload["problems"][0]["line"] == 2
    assert not Run.objects.filter(run_tag="sent").exists()


@pytest.mark.parametrize("options", ["file_name=..%2Fx", "file_name=a%00b", "file_name=", "file_name=a%0Ab"])
def test_names_with_folders_or_controls_are_refused(api, options):
    problem(api.send(options=options), 400)
    assert not RunUpload.objects.exists()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(api, settings):
    settings.MAX_UPLOAD_BYTES = 10

    assert "The file is larger than 10" in problem(api.send(), 413)["detail"]


class Gone(io.BytesIO):
    """A body whose connection ends after a while."""

    def read(self, size=-1):
        return super().read(10) or self.end()

    def end(self):
        raise UnreadablePostError("the connection is gone")


@pytest.mark.parametrize("stream", [io.BytesIO, Gone])
def test_an_upload_that_was_cut_short_leaves_nothing(api, published, data_dir, stream):
    with pytest.raises(UploadRefused, match=f"stopped {999 - len(RUN)} bytes before its end"):
        receive(
            collection=published.collection, user=api.user, key="k", stream=stream(RUN), length=999,
            file_name="x", options={},
        )  # fmt: skip

    assert list((data_dir / "incoming").iterdir()) == []
    assert not RunUpload.objects.exists()


def announce(api, content=RUN, **more):
    said = {"file_name": "parts.txt", "size_bytes": len(content), "run_tag": "parts", **more}
    return api.post("/collections/harbour/uploads", said, **{"Idempotency-Key": "parts"})


def send_part(api, where, content, offset):
    headers = api.headers | {"Upload-Offset": str(offset)}
    return api.client.patch(where, content, content_type="application/octet-stream", headers=headers)


def test_a_run_is_sent_in_parts(api):
    begun = announce(api)
    where = begun["Location"]
    first = send_part(api, where, RUN[:20], 0)
    wrong = send_part(api, where, RUN[20:], 30)
    again = announce(api)
    last = send_part(api, where, RUN[20:], 20)
    work_off_everything()

    assert (begun.status_code, begun["Upload-Offset"]) == (201, "0")
    assert (first.status_code, first["Upload-Offset"]) == (200, "20")
    problem(wrong, 409)
    assert wrong["Upload-Offset"] == "20"
    assert (again.status_code, again["Location"], again["Upload-Offset"]) == (200, where, "20")
    assert last.json()["state"] == "waiting"
    done = api.client.get(where, headers=api.headers).json()
    assert (done["state"], done["sha256"]) == ("imported", hashlib.sha256(RUN).hexdigest())


def test_a_check_alone_changes_nothing_until_it_is_submitted(api):
    where = announce(api, check_only=True)["Location"]
    send_part(api, where, RUN, 0)
    work_off_everything()
    checked = api.client.get(where, headers=api.headers).json()
    assert (checked["state"], checked["report"]["queries"], checked["report"]["unanswered"]) == (
        "checked",
        2,
        ["q3"],
    )
    assert not Run.objects.filter(run_tag="parts").exists()

    assert api.post(f"{where.removeprefix('/api/v1')}/submit", {}).status_code == 202
    work_off_everything()

    assert Run.objects.filter(run_tag="parts").exists()
    assert api.client.delete(where, headers=api.headers).status_code == 409


def test_an_upload_is_dropped(api, data_dir):
    where = announce(api)["Location"]
    send_part(api, where, RUN[:20], 0)

    assert api.client.delete(where, headers=api.headers).status_code == 204
    assert not RunUpload.objects.filter(key="parts").exists()
    assert list((data_dir / "runs" / "uploads").iterdir()) == []


def test_every_problem_is_reported(api):
    sent = api.send(b"q1 Q0 a 1 2.0 sent\nq1 Q0 b two 1 sent\nq9 Q0 a 1 2.0 sent\n" + b"short line\n" * 300)
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert [(one["line"], one["kind"]) for one in upload["problems"][:3]] == [
        (2, "rank"), (3, "unknown query"), (4, "columns"),
    ]  # fmt: skip
    assert len(upload["problems"]) == 100
    assert upload["problem_counts"] == {"columns": 300, "rank": 1, "unknown query": 1}


def test_the_same_key_is_the_same_upload(api):
    first, again = api.send(), api.send()

    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"]
    work_off_everything()
    assert api.send().json()["state"] == "imported"
    assert Run.objects.filter(run_tag="sent").count() == 1


@pytest.mark.parametrize("other", [{"content": RUN + b"q3 Q0 b3 1 1 sent\n"}, {"options": "run_tag=other"}])
def test_a_key_stands_for_one_upload_only(api, other):
    api.send()

    assert "another upload" in problem(api.send(**other), 409)["detail"]


def test_without_a_key_nothing_is_taken(api):
    said = problem(api.post("/collections/harbour/runs", RUN), 422)

    assert "Idempotency-Key" in said["problems"][0]["where"]


def test_the_same_key_in_another_collection_is_another_upload(api):
    other = make_collection("elsewhere", ["q1"])
    Membership.objects.create(collection=other, user=api.user, role="owner")
    api.send()

    reply = api.post("/collections/elsewhere/runs", RUN, **{"Idempotency-Key": "k1"})

    assert reply.status_code == 202
