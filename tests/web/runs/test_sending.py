"""Runs sent in the browser: in parts, by a plain form, or only checked; every problem is shown."""

import html
import io
from datetime import date, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from config import clock
from pooling.errors import WrongOffset
from pooling.intake.old_uploads import forget_old_uploads
from pooling.intake.run_transfers import append, begin
from pooling.models import CollectionChange, Run, RunUpload
from pooling.teams.submission_policies import set_policy
from tests.due_jobs import work_off_everything
from tests.factories import make_run

pytestmark = pytest.mark.one_database

RUN = b"q1 Q0 a 1 2.0 sent\nq1 Q0 b 2 1.0 sent\nq2 Q0 a2 1 1.0 sent\n"
BAD = b"q1 Q0 a 1 2.0 sent\nq1 Q0 b two 1.0 sent\nq7 Q0 a 1 1.0 sent\nq1 Q0 a 3 0.5 sent\n"
SEND = "/collections/harbour/runs/send/"
BEGIN = "/collections/harbour/uploads/begin"


@pytest.fixture
def keeper(cast):
    """The maintainer's client."""
    return cast.clients["maintainer"]


def sent(client, *files, **said):
    named = [SimpleUploadedFile(f"run{number}.txt", content) for number, content in enumerate(files)]
    reply = client.post(SEND, {"release": "private", **said, "run_files": named})
    work_off_everything()
    return reply


def last(**found) -> RunUpload:
    return RunUpload.objects.filter(key__startswith="form-", **found).latest("pk")


def test_a_plain_form_sends_several_files(keeper):
    other = RUN.replace(b" sent", b" second")

    reply = sent(keeper, RUN, other, team="harbourers", submitted_on="2026-02-03")

    assert reply["Location"] == "/collections/harbour/uploads/"
    runs = Run.objects.filter(team="harbourers").order_by("run_tag")
    assert [run.run_tag for run in runs] == ["second", "sent"]
    assert runs[0].submitted_on == date(2026, 2, 3)
    assert runs[0].release == "private"
    page = keeper.get(reply["Location"]).content.decode()
    assert page.count("imported</span>") == 2


def test_the_list_says_why_a_file_was_refused(keeper, cast):
    sent(keeper, b"q1 0 p1 1\n")
    first = last().problems[0]

    listed = keeper.get("/collections/harbour/uploads/").content.decode()

    assert f"line 1: {first['reason']}" in listed
    assert (
        'This looks like relevance labels (qrels). <a href="/collections/harbour/files/">Add labels</a>'
        in listed
    )


def test_the_list_shows_every_problem_folded_and_counts_the_others(keeper, cast, monkeypatch):
    body = BAD + b"q1 Q0 c three 0.4 sent\n"
    set_policy(collection=cast.collection, most_runs=1, period_days=30)
    sent(keeper, body)

    listed = html.unescape(keeper.get("/collections/harbour/uploads/").content.decode())

    assert all(one["reason"] in listed for one in last().problems if one["line"] != 5)
    assert '<span class="tag">2 like this</span>' in listed
    assert "other problem" not in listed
    monkeypatch.setattr("web.runs.upload_pages.PROBLEMS_SHOWN", 2)
    assert "2 other problems</a>" in keeper.get("/collections/harbour/uploads/").content.decode()


def test_every_problem_is_shown_with_its_line(keeper, cast):
    set_policy(collection=cast.collection, most_runs=1, period_days=30)
    sent(keeper, BAD)

    page = keeper.get(f"/collections/harbour/uploads/{last().pk}/").content.decode()

    assert [(one["line"], one["kind"]) for one in last().problems] == [
        (0, "submission policy"), (2, "rank"), (3, "unknown query"), (4, "repeated passage"),
    ]  # fmt: skip
    for words in (
        "4 problems; nothing was imported",
        "not an integer",
        "query q7 is not in the collection",
        "line 1",
    ):
        assert words in page
    assert "Add: “team”, “description”, “Family”" in page
    assert "--" not in page.split("<main")[1].replace("<!--", "")


def test_the_same_file_again_needs_no_fixing(keeper):
    sent(keeper, RUN)
    work_off_everything()
    sent(keeper, RUN)
    work_off_everything()

    upload = last()
    page = keeper.get(f"/collections/harbour/uploads/{upload.pk}/").content.decode()

    assert upload.state == "refused"
    assert "Nothing needs to be done." in page
    assert "Fix the file" not in page


def test_a_policy_states_when_the_next_run_is_allowed(keeper, cast):
    set_policy(collection=cast.collection, most_runs=1, period_days=30, required=["team"])
    make_run(cast.collection, "before", {"q1": ["a"]}, team="T", submitted_on=date(2026, 1, 10))

    sent(keeper, RUN, team="T", submitted_on="2026-01-20", check_only="1")

    assert last().state == "refused"
    page = keeper.get(f"/collections/harbour/uploads/{last().pk}/").content.decode()
    assert "submit the next run from 2026-02-09" in page


def test_a_check_alone_changes_nothing_and_can_be_submitted(keeper, cast, data_dir):
    before = list(Run.objects.values_list("run_tag", flat=True))
    sent(keeper, RUN, check_only="1", team="harbourers")
    upload = last()
    assert upload.state == "checked"
    assert list(Run.objects.values_list("run_tag", flat=True)) == before
    assert not CollectionChange.objects.exists()
    page = keeper.get(f"/collections/harbour/uploads/{upload.pk}/").content.decode()
    assert "The check found no problems" in page
    assert "q3" in page  # the query without an answer

    keeper.post(f"/collections/harbour/uploads/{upload.pk}/submit")
    work_off_everything()

    assert Run.objects.get(run_tag="sent").team == "harbourers"
    assert list((data_dir / "runs" / "uploads").iterdir()) == []


def test_checked_files_are_imported_together_without_sending_them_again(keeper, cast):
    sent(keeper, RUN, RUN.replace(b" sent", b" second"), check_only="1")
    page = keeper.get("/collections/harbour/uploads/").content.decode()
    assert "Import 2 checked files" in page
    assert "Open the leaderboard" not in page  # nothing was imported, so there is nothing to rank

    reply = keeper.post("/collections/harbour/uploads/submit")
    work_off_everything()

    assert Run.objects.filter(run_tag__in=["sent", "second"]).count() == 2
    page = keeper.get(reply["Location"]).content.decode()
    assert "checked file" not in page
    assert "Open the leaderboard" in page


def test_a_checked_file_that_was_imported_since_is_not_offered_again(keeper):
    sent(keeper, RUN, check_only="1")

    sent(keeper, RUN)

    assert "checked file" not in keeper.get("/collections/harbour/uploads/").content.decode()


def test_nobody_imports_the_checked_files_of_another_person(keeper, cast):
    sent(keeper, RUN, check_only="1")

    cast.clients["owner"].post("/collections/harbour/uploads/submit")

    assert last().state == "checked"


def test_the_form_says_what_is_missing(keeper):
    nothing = keeper.post(SEND, {"release": "private"})
    two = sent(keeper, RUN, RUN, run_tag="one")

    assert (nothing.status_code, two.status_code) == (422, 422)
    assert "Choose at least one file" in nothing.content.decode()
    assert "is for a single file" in two.content.decode()


def announced(client, content=RUN, **more):
    asked = {"file_name": "parts.txt", "size_bytes": len(content), "release": "private", "key": "k", **more}
    reply = client.post(BEGIN, asked)
    return reply.json()


def part(client, where, content, offset):
    return client.post(
        where, content, content_type="application/octet-stream", headers={"Upload-Offset": str(offset)}
    )


def test_an_interrupted_upload_continues_where_it_stopped(keeper, data_dir):
    parts = announced(keeper)["parts"]
    first = part(keeper, parts, RUN[:10], 0)
    again = part(keeper, parts, RUN[:10], 0)  # as if its response was lost
    begun = announced(keeper)  # as if the page was reloaded
    rest = part(keeper, parts, RUN[10:], 10)
    work_off_everything()

    assert (first.json()["offset"], again.status_code, again.json()["offset"]) == (10, 409, 10)
    assert begun["offset"] == 10
    assert rest.json()["state"] == "waiting"
    assert RunUpload.objects.get(key="k").state == "imported"
    assert list((data_dir / "runs" / "uploads").iterdir()) == []
    assert list((data_dir / "incoming").iterdir()) == []


def test_more_than_was_announced_is_refused(keeper):
    parts = announced(keeper)["parts"]

    assert part(keeper, parts, RUN + b"more", 0).status_code == 422
    assert RunUpload.objects.get(key="k").received_bytes == 0


def test_only_one_of_two_parts_for_one_position_counts(cast, data_dir):
    upload, _ = begin(
        collection=cast.collection, user=cast.member.user, key="k", length=20, file_name="x", options={}
    )
    stale = RunUpload.objects.get(pk=upload.pk)
    append(upload, offset=0, stream=io.BytesIO(b"a" * 10), length=10)

    with pytest.raises(WrongOffset) as refused:
        append(stale, offset=0, stream=io.BytesIO(b"b" * 10), length=10)

    assert refused.value.offset == 10
    assert len(list((data_dir / "runs" / "uploads").iterdir())) == 1


def test_parts_received_before_a_lost_connection_stay(cast):
    upload, _ = begin(
        collection=cast.collection, user=cast.member.user, key="k", length=20, file_name="x", options={}
    )

    append(upload, offset=0, stream=io.BytesIO(b"a" * 7), length=20)

    assert (upload.received_bytes, upload.state) == (7, "receiving")


def test_unfinished_and_unsubmitted_files_are_deleted_in_time(keeper, data_dir):
    part(keeper, announced(keeper)["parts"], RUN[:10], 0)
    sent(keeper, RUN, check_only="1")
    assert forget_old_uploads() == 0

    RunUpload.objects.update(created_at=clock.now() - timedelta(days=4))
    RunUpload.objects.filter(state="checked").update(finished_at=clock.now() - timedelta(days=2))

    assert forget_old_uploads() == 2
    assert list((data_dir / "runs" / "uploads").iterdir()) == []
