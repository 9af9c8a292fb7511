"""Files that break a reader are refused with file and line; waiting files can be deleted and count for a quota."""

import io
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile

from config import clock
from config.background.models import Job
from pooling.errors import QuotaReached
from pooling.files import texts, trec
from pooling.files.formats import BOM
from pooling.intake.run_transfers import abandon, receive
from pooling.jobs import check_upload_job, forget_uploads, ring_for_upload
from pooling.models import AddedFiles, Collection, NewCollection, PassageSource, Run, RunUpload
from tests.due_jobs import work_off_everything
from tests.web.api_caller import RUN, api as api, problem

DEEP = b'q0\tfine\n{"qid": "q1", "text": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"
MARKED = BOM + BOM + b"q1 Q0 a 1 2.0 sent\n"


@pytest.fixture
def keeper(cast):
    """The maintainer's client."""
    return cast.clients["maintainer"]


def send(client, content=RUN, name="run.txt"):
    files = [SimpleUploadedFile(name, content)]
    return client.post("/collections/harbour/runs/send/", {"release": "private", "run_files": files})


def last() -> RunUpload:
    return RunUpload.objects.latest("pk")


def person(cast):
    """The maintainer."""
    return get_user_model().objects.get(username="maintainer")


def waiting(cast, key="k", content=RUN) -> RunUpload:
    upload, _ = receive(
        collection=cast.collection,
        user=person(cast),
        key=key,
        stream=io.BytesIO(content),
        length=len(content),
        file_name="run.txt",
        options={},
    )
    return upload


def test_deep_json_is_refused_on_the_page_with_its_line(cast, data_dir):
    client = cast.clients["owner"]
    files = {"queries": SimpleUploadedFile("deep.jsonl", DEEP)}
    reply = client.post("/new-collection/", {"name": "deep", "language": "en", **files})
    work_off_everything()

    [told] = NewCollection.objects.get(name="deep").problems
    assert (told["file"], told["line"]) == ("deep.jsonl", 2)
    assert "nested too deep" in client.get(reply["Location"]).content.decode()


def test_two_byte_order_marks_are_refused_over_the_api_with_their_line(api, data_dir):
    sent = api.send(MARKED)
    work_off_everything()

    told = api.client.get(sent["Location"], headers=api.headers).json()
    assert (told["state"], told["problems"][0]["line"]) == ("refused", 1)
    assert "byte order mark" in told["problems"][0]["reason"]


@pytest.mark.parametrize("reader", ["read_columns", "what_is_broken"])
def test_a_fault_of_a_reader_refuses_the_file_and_is_in_the_log(
    keeper, data_dir, monkeypatch, caplog, reader
):
    def broken(*_, **__):
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr(trec, "read_columns", broken)
    if reader == "what_is_broken":
        monkeypatch.setattr(trec, "problems_of_lines", broken)
    send(keeper)
    work_off_everything()

    [told] = last().problems
    assert (last().state, told["line"]) == ("refused", 0)
    assert "run.txt" in caplog.text or "secret words" in caplog.text
    page = keeper.get(f"/collections/harbour/uploads/{last().pk}/").content.decode()
    assert "could not read it (ZeroDivisionError)" in page
    assert "secret words" not in page


def test_a_fault_on_one_line_names_it(cast, data_dir, monkeypatch):
    def broken(name, number, line, fields):
        if number == 2:
            raise ZeroDivisionError

    monkeypatch.setattr(texts, "_text_from_json", broken)
    files = {"queries": SimpleUploadedFile("q.jsonl", b"q1\tone\n{}\n")}
    cast.clients["owner"].post("/new-collection/", {"name": "broken", "language": "en", **files})
    work_off_everything()

    [told] = NewCollection.objects.get(name="broken").problems
    assert (told["file"], told["line"]) == ("q.jsonl", 2)


def test_a_grade_that_no_column_holds_is_refused_with_its_line(cast, data_dir):
    labels = SimpleUploadedFile("labels.txt", b"q1 0 a 1\nq2 0 a2 99999999999\n")
    cast.clients["owner"].post(
        "/collections/harbour/files/", {"qrels": labels, "set": "big", "min_grade": "1"}
    )
    work_off_everything()

    added = AddedFiles.objects.latest("pk")
    assert [(one["line"], one["kind"]) for one in added.problems] == [(2, "grade")]


def test_a_file_that_waits_is_dropped_on_its_page_and_its_job_ends(keeper, cast, data_dir):
    upload = waiting(cast)
    job = ring_for_upload(upload)

    page = keeper.get(f"/collections/harbour/uploads/{upload.pk}/").content.decode()
    keeper.post(f"/collections/harbour/uploads/{upload.pk}/drop")
    work_off_everything()

    assert "Discard run.txt" in page
    assert not RunUpload.objects.filter(pk=upload.pk).exists()
    assert list((data_dir / "runs" / "uploads").iterdir()) == []
    job.refresh_from_db()
    assert (job.state, job.result) == ("done", {"state": "dropped"})


def test_a_file_that_is_dropped_while_it_is_checked_makes_no_run(cast, data_dir, monkeypatch):
    upload = waiting(cast)
    read = trec.read_run_file

    def dropped_meanwhile(*args, **options):
        found = read(*args, **options)
        abandon(upload)
        return found

    monkeypatch.setattr(trec, "read_run_file", dropped_meanwhile)
    check_upload_job(progress=lambda *_: None, upload_id=upload.pk)

    assert not Run.objects.filter(run_tag="sent").exists()


def test_files_of_a_new_collection_that_wait_are_dropped(cast, data_dir):
    client = cast.clients["owner"]
    files = {"queries": SimpleUploadedFile("q.tsv", b"q1\tone\n")}
    reply = client.post("/new-collection/", {"name": "later", "language": "en", **files})

    page = client.get(reply["Location"]).content.decode()
    client.post(f"{reply['Location']}drop")

    assert "Discard files" in page
    assert not NewCollection.objects.filter(name="later").exists()
    assert list((data_dir / "sources").iterdir()) == []


def test_old_waiting_files_are_deleted_unless_about_to_be_read(cast, data_dir):
    stuck, queued = waiting(cast, "stuck"), waiting(cast, "queued")
    NewCollection.objects.create(user=person(cast), name="old", state="waiting")
    Job.objects.create(kind="pooling.check_upload", key=stuck.job_key, state="failed")
    ring_for_upload(queued)

    with clock.shifted(timedelta(days=8)):
        forget_uploads()

    assert list(RunUpload.objects.all()) == [queued]
    assert not NewCollection.objects.exists()
    assert not AddedFiles.objects.exists()


def test_the_number_of_waiting_files_per_person_is_limited(keeper, cast, data_dir, settings):
    settings.MAX_WAITING_FILES = RunUpload.objects.filter(user=person(cast), state="waiting").count() + 1
    send(keeper)

    refused = send(keeper, RUN.replace(b"sent", b"more"))

    assert refused.status_code == 422
    assert "would exceed your limit" in refused.content.decode()
    assert len(list((data_dir / "runs" / "uploads").iterdir())) == 1
    work_off_everything()
    assert send(keeper, RUN.replace(b"sent", b"more")).status_code == 302


def test_the_bytes_of_waiting_files_are_limited_over_the_api(api, data_dir, settings):
    settings.MAX_WAITING_BYTES = 100
    asked = {"file_name": "a.txt", "size_bytes": 90}
    first = api.post("/collections/harbour/uploads", asked, **{"Idempotency-Key": "1"})
    other = api.post("/collections/harbour/uploads", asked, **{"Idempotency-Key": "2"})
    queries = [{"what": "queries", "file_name": "q.tsv", "size_bytes": 90}]
    made = api.post("/collections", {"name": "mine", "files": queries}, **{"Idempotency-Key": "3"})

    assert first.status_code == 201
    assert "Wait until some are read" in problem(other, 409)["next_step"]
    problem(made, 409)
    assert not NewCollection.objects.exists()


def test_looking_for_texts_costs_quota_without_a_file(api, data_dir, settings):
    settings.MAX_WAITING_FILES = 1
    PassageSource.objects.create(
        collection=Collection.objects.get(), path="p.tsv", sha256="0" * 64, size_bytes=1
    )
    first, other = (api.post("/collections/harbour/files", {}, **{"Idempotency-Key": key}) for key in "12")

    assert first.status_code == 201
    problem(other, 409)
    assert AddedFiles.objects.count() == 1


def test_a_file_whose_job_failed_costs_no_quota(cast, data_dir, settings):
    settings.MAX_WAITING_FILES = 1
    upload = waiting(cast, "first")
    with pytest.raises(QuotaReached):
        waiting(cast, "second")
    Job.objects.create(kind="pooling.check_upload", key=upload.job_key, state="failed")

    assert waiting(cast, "second").state == "waiting"
