"""Messages about run files: every outcome of a check, once, without contents of the file."""

import io
import json
from pathlib import Path

import pytest

from config.background.models import Event
from pooling.intake.run_transfers import receive
from pooling.intake.upload_imports import check_upload, submit_checked
from pooling.models import RunUpload
from pooling.runs.runs import import_run
from tests.web.webhooks.conftest import send

pytestmark = pytest.mark.django_db
GOOD = b"q1 Q0 a 1 1.0 sent\nq2 Q0 a2 1 1.0 sent\n"
BAD = b"q1 Q0 a first 1.0 sent\nq9 Q0 a2 1 1.0 sent\n"


def sent(harbour, owner, content: bytes, **options) -> RunUpload:
    check_only = options.pop("check_only", False)
    upload, _ = receive(
        collection=harbour.collection,
        user=owner,
        key="k",
        stream=io.BytesIO(content),
        length=len(content),
        file_name="secret-plan.txt",
        options={"run_tag": "sent", "release": "private"} | options,
        check_only=check_only,
    )
    return check_upload(check_upload(upload))


def told(receiver) -> list[dict]:
    return [json.loads(got.body)["data"] for got in receiver.got]


def test_an_imported_run_is_named_with_its_page(harbour, owner, hook, receiver):
    upload = sent(harbour, owner, GOOD)

    send(hook)

    (data,) = told(receiver)
    site = "http://127.0.0.1:8410/collections/harbour"
    assert data["outcome"] == "imported"
    assert data["upload"] == {"id": upload.pk, "url": f"{site}/uploads/{upload.pk}/"}
    url = f"{site}/runs/{upload.run_id}/"
    assert data["run"] == {"id": upload.run_id, "run_tag": "sent", "release": "private", "url": url}


def test_a_refused_file_is_reported_with_the_kinds_of_its_problems(harbour, owner, hook, receiver):
    sent(harbour, owner, BAD)

    send(hook)

    (data,) = told(receiver)
    assert (data["outcome"], data["run"]) == ("refused", None)
    assert data["problem_counts"] == {"rank": 1, "unknown query": 1}
    assert b"secret-plan" not in receiver.got[0].body


def test_a_check_and_a_later_import_are_two_events(harbour, owner, hook, receiver):
    upload = sent(harbour, owner, GOOD, check_only=True)
    check_upload(submit_checked(upload))

    send(hook)

    assert [data["outcome"] for data in told(receiver)] == ["checked", "imported"]
    assert len(set(receiver.ids)) == 2


def test_a_run_imported_in_the_terminal_is_reported_too(harbour, hook, receiver, tmp_path: Path):
    (tmp_path / "run.txt").write_bytes(GOOD)
    run = import_run(collection=harbour.collection, path=tmp_path / "run.txt")

    send(hook)

    (data,) = told(receiver)
    assert (data["outcome"], data["run"]["id"], data["upload"]) == ("imported", run.pk, None)


def test_events_are_recorded_without_subscribers(harbour, owner):
    sent(harbour, owner, GOOD)

    assert [event.kind for event in Event.objects.all()] == ["run.checked"]
