"""A file refused only for unknown queries is reread without their lines, and need not be sent again."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from config import clock
from pooling.intake.old_uploads import forget_old_uploads
from pooling.intake.quotas import held_uploads
from pooling.intake.unknown_queries import can_leave_out
from pooling.models import AddedFiles, NewCollection, Qrel, Run, RunUpload
from tests.due_jobs import work_off_everything

pytestmark = pytest.mark.one_database

RUN = b"q1 Q0 a 1 2.0 sent\nq7 Q0 a 1 1.0 sent\nq8 Q0 a 1 1.0 sent\n"
LABELS = b"q1 0 a 1\nq9 0 a 1\n"
BUTTON = "Leave out lines of unknown queries"
OFFERED = f'<button class="primary">{BUTTON}</button>'


def files(**contents):
    return {name: SimpleUploadedFile(f"my {name}.tsv", content) for name, content in contents.items()}


def run_sent(client, content=RUN):
    client.post("/collections/harbour/runs/send/", {"release": "private", **files(run_files=content)})
    return RunUpload.objects.latest("pk")


def labels_sent(client):
    client.post("/collections/harbour/files/", {"set": "more", **files(qrels=LABELS)})
    return AddedFiles.objects.latest("pk")


def collection_sent(client):
    sent = files(queries=b"q1\twhat\n", qrels=LABELS, passages=b"a\tthe text\n")
    client.post("/new-collection/", {"name": "fresh", "language": "en", **sent})
    return NewCollection.objects.latest("pk")


def address_of(row) -> str:
    if isinstance(row, NewCollection):
        return f"/new-collection/{row.pk}/"
    part = "uploads" if isinstance(row, RunUpload) else "files"
    return f"/collections/harbour/{part}/{row.pk}/"


SENT = [run_sent, labels_sent, collection_sent]


@pytest.fixture
def keeper(cast):
    return cast.clients["maintainer"]


def refused(client, send):
    row = send(client)
    work_off_everything()
    row.refresh_from_db()
    assert row.state == "refused"
    return row, address_of(row)


def left_on_disk(data_dir) -> list[bytes]:
    folders = [data_dir / "runs" / "uploads", data_dir / "sources"]
    return [path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("send", SENT)
def test_the_button_of_a_refused_file_brings_in_all_other_lines(keeper, data_dir, send):
    row, page = refused(keeper, send)
    told = keeper.get(page).content.decode()

    keeper.post(f"{page}again", {"skip_unknown": "1"})
    work_off_everything()

    assert OFFERED in told
    assert f"“{BUTTON}”" in told  # the advice names the button
    row.refresh_from_db()
    assert row.state in ("imported", "added", "made")
    made = {
        run_sent: lambda: Run.objects.filter(run_tag="sent").count(),
        labels_sent: lambda: Qrel.objects.filter(qrel_set__name="more").count(),
        collection_sent: lambda: Qrel.objects.filter(qrel_set__collection__name="fresh").count(),
    }
    assert made[send]() == 1


@pytest.mark.parametrize("send", SENT)
def test_a_file_that_nobody_uses_is_deleted_after_a_day_and_counts_until_then(cast, keeper, data_dir, send):
    row, page = refused(keeper, send)
    assert forget_old_uploads() == 0
    assert held_uploads(row.user)[1] >= sum(map(len, left_on_disk(data_dir))) > 0

    type(row).objects.update(finished_at=clock.now() - timedelta(days=2))

    assert forget_old_uploads() == 1
    assert forget_old_uploads() == 0
    assert left_on_disk(data_dir) == []
    assert held_uploads(row.user) == (0, 0)
    assert OFFERED not in keeper.get(page).content.decode()
    late = keeper.post(f"{page}again", {"skip_unknown": "1"}, follow=True).content.decode()
    assert "no longer stored" in late


@pytest.mark.parametrize("send", SENT)
def test_a_refused_file_can_be_discarded(keeper, data_dir, send):
    row, page = refused(keeper, send)

    keeper.post(f"{page}drop")

    assert not type(row).objects.filter(pk=row.pk).exists()
    assert left_on_disk(data_dir) == []


def test_a_file_with_another_problem_is_not_kept(keeper, data_dir):
    row, page = refused(keeper, lambda client: run_sent(client, RUN + b"q1 Q0 b two 1.0 sent\n"))

    assert not can_leave_out(row)
    assert OFFERED not in keeper.get(page).content.decode()
    assert left_on_disk(data_dir) == []


def test_nobody_can_reread_another_persons_file(cast, keeper, data_dir):
    row, page = refused(keeper, run_sent)

    reply = cast.clients["owner"].post(f"{page}again", {"skip_unknown": "1"})

    assert reply.status_code == 404
    assert OFFERED not in cast.clients["owner"].get(page).content.decode()
    row.refresh_from_db()
    assert row.state == "refused"
