"""Invitations: one link, one account."""

import json
import re
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connections

from marketplace import clock
from marketplace.errors import AccountRefused
from marketplace.models import Invitation, Outgoing, Worker
from marketplace.services import outbox
from marketplace.services.account import invitations
from tests.marketplace.conftest import NOW

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def path_of(link):
    return urlsplit(link).path


@pytest.fixture
def link():
    return path_of(invitations.make_invitation(now=clock.now()).link)


def accept(client, link, **changes):
    return client.post(link, {"username": "Ada", "password": PASSWORD} | changes)


def test_a_link_creates_one_account_and_signs_in(client, link, settings):
    settings.OPEN_SIGNUP = False
    assert client.get(link).status_code == 200

    assert accept(client, link, country="gb")["Location"] == "/"

    worker = Worker.objects.get()
    assert (worker.username, worker.country) == ("ada", "GB")
    assert worker.worker_id in client.get("/").content.decode()
    assert Invitation.objects.get().worker == worker


def test_a_used_link_creates_no_second_account(client, link):
    accept(client, link)
    client.logout()

    again = accept(client, link, username="grace")

    assert again.status_code == 403
    assert b"already been used" in again.content
    assert Worker.objects.count() == 1


def test_a_mistake_does_not_use_the_link_up(client, link, ada):
    assert accept(client, link).status_code == 422
    assert accept(client, link, username="grace", password="short").status_code == 422

    assert accept(client, link, username="grace")["Location"] == "/"


@pytest.mark.parametrize("way", ["expired", "revoked", "forged"])
def test_an_expired_or_revoked_link_shows_the_reason(client, way):
    sent = invitations.make_invitation(
        now=clock.now() - timedelta(hours=3), hours=2 if way == "expired" else 9
    )
    if way == "revoked":
        invitations.revoke_invitation(sent.invitation.pk, clock.now())
    link = path_of(sent.link).replace(":", "x", 1) if way == "forged" else path_of(sent.link)

    response = client.get(link)

    assert response.status_code == 403
    assert b'data-refusal="invitation_over"' in response.content
    words = {"expired": b"has expired", "revoked": b"was withdrawn", "forged": b"is not valid"}
    assert words[way] in response.content


def test_opening_it_while_signed_in_does_not_use_it_up(client, link, ada):
    client.force_login(ada)

    assert b"still valid" in client.get(link).content
    assert Invitation.objects.get().used_at is None


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_people_create_one_account():
    link = invitations.make_invitation(now=clock.now()).link
    token = path_of(link).split("/")[2]
    together = threading.Barrier(2)

    def accept(name):
        together.wait(30)
        try:
            invitations.accept_invitation(token, username=name, password=PASSWORD, now=clock.now())
        except AccountRefused as refusal:
            return refusal.message
        finally:
            connections.close_all()
        return ""

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(accept, ["ada", "grace"]))

    assert said == ["", "This invitation has already been used."]
    assert Worker.objects.count() == 1


def test_an_invitation_by_mail_confirms_the_address(client, settings):
    settings.MAIL = True
    invitations.make_invitation(now=clock.now(), email="ada@example.org", mail=True)
    outbox.send_due_messages(clock.now())
    [letter] = mail.outbox
    link = path_of(re.search(r"https?://\S+", letter.body)[0])
    assert b'value="ada@example.org"' in client.get(link).content

    accept(client, link, email="ada@example.org")

    assert Worker.objects.get().email_confirmed_at is not None


def test_another_address_is_not_confirmed_by_it(client, settings):
    settings.MAIL = True
    sent = invitations.make_invitation(now=clock.now(), email="ada@example.org", mail=True)

    accept(client, path_of(sent.link), email="other@example.org")

    assert Worker.objects.get().email_confirmed_at is None


def test_invitations_are_written_listed_and_revoked(tmp_path, capsys):
    out = tmp_path / "links.jsonl"
    call_command("invite", "--count", "3", "--note", "course", "--out", out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len({row["link"] for row in rows}) == 3
    assert stat.S_IMODE(out.stat().st_mode) == 0o600

    call_command("revoke_invitation", str(rows[0]["invitation"]))
    call_command("revoke_invitation", str(rows[0]["invitation"]))
    capsys.readouterr()
    call_command("invitations", "--json")

    listed = json.loads(capsys.readouterr().out)["invitations"]
    assert [row["state"] for row in listed] == ["open", "open", "revoked"]
    assert {row["note"] for row in listed} == {"course"}


def test_invitations_are_mailed_to_a_list(tmp_path, settings, capsys):
    people = tmp_path / "people.txt"
    people.write_text("a@example.org\nb@example.org\na@example.org\n")
    with pytest.raises(CommandError, match="no mail server"):
        call_command("invite", "--addresses", people, "--mail")
    settings.MAIL = True

    call_command("invite", "--addresses", people, "--mail")

    assert sorted(row.destination for row in Outgoing.objects.all()) == ["a@example.org", "b@example.org"]


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["--count", "3"], "--out"),
        (["--count", "3", "--mail"], "--mail needs"),
        (["--count", "0", "--out", "x"], "1 to 10000"),
        (["--email", "nobody", "--out", "x"], "not an e-mail address"),
    ],
)
def test_impossible_options_are_refused_with_a_reason(words, match):
    with pytest.raises(CommandError, match=match):
        call_command("invite", *words)

    assert not Invitation.objects.exists()


def test_revoking_a_used_invitation_points_to_the_account(link, client):
    accept(client, link)

    with pytest.raises(CommandError, match="set_worker"):
        call_command("revoke_invitation", str(Invitation.objects.get().pk))
    with pytest.raises(CommandError, match="no invitation"):
        call_command("revoke_invitation", "999999")


def test_now_is_an_argument():
    sent = invitations.make_invitation(now=NOW, hours=1)

    assert sent.invitation.expires_at == NOW + timedelta(hours=1)


@pytest.mark.django_db
def test_files_of_links_are_never_overwritten(tmp_path):
    out = tmp_path / "links.jsonl"
    call_command("invite", "--count", "1", "--out", out)
    before = out.read_text()

    with pytest.raises(CommandError, match="already exists"):
        call_command("invite", "--count", "1", "--out", out)
    with pytest.raises(CommandError, match="already exists"):
        call_command("create_workers", "--count", "1", "--out", out)

    assert out.read_text() == before
    assert Invitation.objects.count() == 1
