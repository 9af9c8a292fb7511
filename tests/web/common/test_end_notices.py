"""A waiting page offers an e-mail when its background work ends."""

import re

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.urls import reverse

from config.background.models import Job
from config.background.services import start_if_wanted
from tests.due_jobs import work_off_everything
from tests.web.common.test_leaving_out import RUN, address_of, run_sent
from web.common import end_notices
from web.models import EndNotice

pytestmark = pytest.mark.one_database

BUTTON = "E-mail me when this is done"
KIND = "web.mail_ended_work"


@pytest.fixture
def keeper(cast, settings):
    settings.MAIL = True
    return cast.clients["maintainer"]


@pytest.fixture
def waiting(cast, keeper, data_dir):
    """A run that waits for its check, sent by a person with an e-mail address."""
    row = run_sent(keeper, RUN.replace(b"q7", b"q2").replace(b"q8", b"q3"))
    row.user.email = "ada@example.org"
    row.user.save()
    return row


def asked(client, row) -> str:
    page = client.get(address_of(row)).content.decode()
    about = re.search(r'name="about" value="([^"]+)"', page).group(1)
    return client.post(reverse("web:mail_when_done"), {"about": about}, follow=True).content.decode()


def test_a_person_who_asked_gets_one_e_mail_when_the_work_is_done(keeper, waiting):
    told = asked(keeper, waiting)
    asked_twice = keeper.get(address_of(waiting)).content.decode()
    assert start_if_wanted(KIND) is None
    Job.objects.exclude(kind="pooling.check_upload").delete()

    work_off_everything()
    start_if_wanted(KIND)
    work_off_everything()

    assert "ada@example.org" in told
    assert BUTTON not in asked_twice
    [sent] = mail.outbox
    assert (sent.subject, sent.to) == ("Checking a run file is done", ["ada@example.org"])
    assert f"http://127.0.0.1:8410{address_of(waiting)}\n" in sent.body
    assert not EndNotice.objects.exists()
    assert start_if_wanted(KIND) is None


def test_failed_work_is_reported_without_its_reason(keeper, waiting):
    asked(keeper, waiting)
    Job.objects.update(state="failed", fault="refused", failure_message="The secret is out.")

    assert end_notices.send_end_notices() == 1

    [sent] = mail.outbox
    assert sent.subject == "Checking a run file failed"
    assert "secret" not in sent.body


def test_an_unavailable_mail_server_is_retried(keeper, waiting, monkeypatch):
    asked(keeper, waiting)
    Job.objects.update(state="done")

    with monkeypatch.context() as away:
        away.setattr(EmailMessage, "send", lambda *_, **__: (_ for _ in ()).throw(OSError("away")))
        assert end_notices.send_end_notices() == 0

    assert end_notices.send_end_notices() == 1


def test_only_a_displayed_page_allows_the_request(cast, keeper, waiting):
    job = Job.objects.get(key=waiting.job_key)

    made_up = keeper.post(reverse("web:mail_when_done"), {"about": f"{job.pk}:x"}, follow=True)

    assert "too old" in made_up.content.decode()
    assert not EndNotice.objects.exists()


@pytest.mark.parametrize("lacks", ["mail server", "address"])
def test_nothing_is_offered_without_a_mail_server_or_an_address(keeper, waiting, settings, lacks):
    if lacks == "address":
        waiting.user.email = ""
        waiting.user.save()
    settings.MAIL = lacks != "mail server"

    assert BUTTON not in keeper.get(address_of(waiting)).content.decode()
