"""Workers' letters to requesters, and the page of a worker from whom a requester hides tasks."""

import html
import json

import pytest
from django.core.management import call_command

from marketplace import clock
from marketplace.models import Letter, Outgoing
from tests.marketplace.conftest import make_hit, make_type, work

pytestmark = pytest.mark.django_db
LINK = "https://pages.example/judge/appeal/token/"


@pytest.fixture
def worker(client, ada):
    client.force_login(ada)
    return ada


@pytest.fixture
def listed(ask, worker):
    """Ada has done a task of the lab and is then put on its list, which hides its tasks."""
    work(worker, make_type_with_hit(ask), at=clock.now())
    kind = ask("CreateQualificationType", Name="No further", Description="Says nothing about you.",
               QualificationTypeStatus="Active")["QualificationType"]["QualificationTypeId"]  # fmt: skip
    requirement = {"QualificationTypeId": kind, "Comparator": "DoesNotExist",
                   "ActionsGuarded": "DiscoverPreviewAndAccept"}  # fmt: skip
    hidden = make_type(ask, Title="More passages", QualificationRequirements=[requirement])
    make_hit(ask, hidden, at=clock.now())
    grant = {"QualificationTypeId": kind, "WorkerId": worker.worker_id, "SendNotification": False}
    ask("AssociateQualificationWithWorker", at=clock.now(), **grant)
    return grant


def make_type_with_hit(ask):
    hit_type = make_type(ask)
    make_hit(ask, hit_type, at=clock.now())
    return hit_type


def tell_of_missed_check(ask, worker, assignment):
    ask("ApproveAssignment", at=clock.now(), AssignmentId=assignment)
    text = f"A check pair was missed.\nSay so: {LINK}"
    ask(
        "NotifyWorkers",
        at=clock.now(),
        Subject="No further tasks",
        MessageText=text,
        WorkerIds=[worker.worker_id],
    )


def home_text(client):
    return html.unescape(client.get("/").content.decode())


def test_a_worker_on_a_requesters_list_is_told_why_what_is_paid_and_where_to_object(
    client, worker, ask, listed
):
    before = home_text(client)
    assert "More passages" not in before
    assert 'data-refused-by="lab"' in before
    assert "Work you have submitted is still reviewed and paid as promised." in before
    assert "“Says nothing about you.”" in before
    assert "lab has not written to you about it." in before

    tell_of_missed_check(ask, worker, worker.assignments.get().assignment_id)

    page = home_text(client)
    section = page[page.index('data-refused-by="lab"') : page.index('id="recent"')]
    assert "A check pair was missed." in section
    assert f'<a href="{LINK}" rel="nofollow">' in section
    assert f'href="/requesters/{listed_requester().pk}/write/"' in section

    ask("DisassociateQualificationFromWorker", at=clock.now(),
        QualificationTypeId=listed["QualificationTypeId"], WorkerId=worker.worker_id)  # fmt: skip
    assert "data-refused-by" not in home_text(client)


def listed_requester():
    from marketplace.models import Requester

    return Requester.objects.get(name="lab")


def test_markup_in_a_message_is_text(client, worker, ask, listed):
    ask("ApproveAssignment", at=clock.now(), AssignmentId=worker.assignments.get().assignment_id)
    text = '<script>alert(1)</script> https://x.example/"onmouseover=alert(1)'
    ask("NotifyWorkers", at=clock.now(), Subject="<b>s</b>", MessageText=text, WorkerIds=[worker.worker_id])

    page = client.get("/").content.decode()

    assert "<script>alert" not in page
    assert "<b>s</b>" not in page
    assert '"onmouseover' not in page


def test_what_a_worker_writes_is_kept_listed_and_mailed(client, worker, requester, ask, settings, capsys):
    settings.MAIL = True
    make_type_with_hit(ask)
    call_command("set_requester", "lab", "--email", "lab@example.org")
    address = f"/requesters/{requester.pk}/write/"
    assert f'href="{address}"' in client.get(f"/groups/{make_type(ask)}/").content.decode()

    for _ in range(2):
        said = client.post(address, {"text": " My receipt is W10-3. "}, follow=True).content.decode()

    assert "Your message to lab was sent." in said
    assert "My receipt is W10-3." in said
    assert Letter.objects.get().text == "My receipt is W10-3."
    mail = Outgoing.objects.get()
    assert (mail.destination, worker.worker_id in mail.body, "ada" in mail.body) == (
        "lab@example.org",
        True,
        False,
    )
    capsys.readouterr()
    call_command("letters", "lab", "--json")
    (row,) = json.loads(capsys.readouterr().out)["letters"]
    assert (row["worker_id"], row["text"]) == (worker.worker_id, "My receipt is W10-3.")


def test_letters_that_are_not_taken_say_why_and_keep_what_was_written(client, worker, requester, ask):
    make_type_with_hit(ask)
    address = f"/requesters/{requester.pk}/write/"

    refused = {words: client.post(address, {"text": words}) for words in ("  ", "x" * 4001)}
    assert [page.status_code for page in refused.values()] == [422, 422]
    assert "x" * 4001 in refused["x" * 4001].content.decode()
    for number in range(11):
        last = client.post(address, {"text": f"letter {number}"})

    assert (last.status_code, 'data-refusal="too_many"' in last.content.decode()) == (422, True)
    assert Letter.objects.count() == 10
    assert client.get("/requesters/999/write/").status_code == 404
