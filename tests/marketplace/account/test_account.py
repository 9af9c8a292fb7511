"""Changing and resetting passwords, confirming addresses, limits on attempts."""

import re
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import RequestFactory

from marketplace import clock
from marketplace.models import Outgoing, Worker
from marketplace.services import outbox
from marketplace.services.account import accounts, invitations
from marketplace.views.sign_in import client_address
from tests.marketplace.conftest import make_hit, make_type

pytestmark = pytest.mark.django_db
PASSWORD, OTHER = "correct horse battery", "staple of another kind"


@pytest.fixture
def ada():
    return accounts.create_worker("ada", password=PASSWORD, email="ada@example.org", now=clock.now())


@pytest.fixture
def reachable(ada, settings):
    settings.MAIL = True
    Worker.objects.filter(pk=ada.pk).update(email_confirmed_at=clock.now())
    return ada


def sign_in(client, password=PASSWORD, username="ada", **more):
    return client.post("/signin/", {"username": username, "password": password}, **more)


def link_in_mail():
    outbox.send_due_messages(clock.now())
    return urlsplit(re.search(r"https?://\S+", mail.outbox[-1].body)[0]).path


def test_a_forgotten_password_is_reset_once(client, reachable):
    client.post("/password/", {"identity": "ada@example.org"})
    link = link_in_mail()
    assert client.get(link).status_code == 200
    assert client.post(link, {"password": "short"}).status_code == 422

    assert client.post(link, {"password": OTHER})["Location"] == "/"

    client.logout()
    assert client.post(link, {"password": PASSWORD}).status_code == 403
    assert sign_in(client).status_code == 422
    assert sign_in(client, OTHER)["Location"] == "/"


def test_the_response_does_not_reveal_whether_an_account_exists(client, reachable):
    known = client.post("/password/", {"identity": "ada"})
    unknown = client.post("/password/", {"identity": "nobody"})

    token = re.compile(rb'csrfmiddlewaretoken" value="[^"]+"')
    assert token.sub(b"", known.content) == token.sub(b"", unknown.content)
    assert [row.destination for row in Outgoing.objects.all()] == ["ada@example.org"]


def test_an_address_that_was_never_confirmed_gets_nothing(client, ada, settings):
    settings.MAIL = True

    client.post("/password/", {"identity": "ada"})

    assert not Outgoing.objects.exists()


@pytest.mark.parametrize("said_by", ["invitation", "create_workers", "set_worker"])
def test_workers_cannot_change_a_country_that_an_operator_set(client, tmp_path, said_by):
    if said_by == "invitation":
        link = urlsplit(invitations.make_invitation(now=clock.now(), country="DE").link).path
        client.post(link, {"username": "ada", "password": PASSWORD, "country": "US"})
    elif said_by == "create_workers":
        call_command("create_workers", count=1, prefix="ada", country="de", out=tmp_path / "links")
    else:
        accounts.create_worker("ada", password=None, country="US", now=clock.now())
        call_command("set_worker", "ada", country="DE")
    worker = Worker.objects.get()
    assert worker.country == "DE"
    client.force_login(worker)

    client.post("/account/", {"email": worker.email, "country": "US"})

    worker.refresh_from_db()
    assert worker.country == "DE"
    assert b"The people who invited you set this" in client.get("/account/").content


def test_workers_can_change_their_country_after_the_operator_cleared_it(client, ada):
    call_command("set_worker", "ada", country="DE")
    call_command("set_worker", "ada", country="")
    client.force_login(ada)

    client.post("/account/", {"email": ada.email, "country": "US"})

    ada.refresh_from_db()
    assert ada.country == "US"


@pytest.mark.parametrize("way", ["signup", "invitation"])
def test_an_address_given_with_the_account_is_confirmed_by_its_link(client, settings, way):
    settings.MAIL = True
    sent = urlsplit(invitations.make_invitation(now=clock.now()).link).path
    form = {"username": "ada", "password": PASSWORD, "email": "ada@example.org"}

    client.post(sent if way == "invitation" else "/signup/", form)
    assert "Open the link that we sent to it" in client.get("/account/").content.decode()
    client.post(link_in_mail())

    assert Worker.objects.get().email_confirmed_at is not None


def test_no_confirmation_is_mailed_to_an_address_that_the_invitation_confirmed(client, settings):
    settings.MAIL = True
    sent = invitations.make_invitation(now=clock.now(), email="ada@example.org", mail=True)
    Outgoing.objects.all().delete()

    client.post(
        urlsplit(sent.link).path, {"username": "ada", "password": PASSWORD, "email": "Ada@example.org"}
    )

    assert Worker.objects.get().email_confirmed_at is not None
    assert not Outgoing.objects.exists()


def test_a_mailbox_is_not_flooded(client, reachable):
    for _ in range(9):
        client.post("/password/", {"identity": "ada"})

    assert Outgoing.objects.count() == 4


def test_a_link_expires(client, ada, settings):
    from marketplace.services.account import passwords

    link = urlsplit(passwords.password_link(ada)).path
    assert client.get(link).status_code == 200

    settings.PASSWORD_RESET_TIMEOUT = -1

    assert client.get(link).status_code == 403


def test_without_mail_an_operator_creates_the_link(client, ada, capsys):
    assert b"does not send e-mail" in client.get("/password/").content

    call_command("password_link", "ADA")

    link = urlsplit(capsys.readouterr().out.strip()).path
    assert client.post(link, {"password": OTHER})["Location"] == "/"
    with pytest.raises(CommandError, match="no worker"):
        call_command("password_link", "nobody")


def test_changing_a_password_requires_the_old_one(client, ada):
    from django.test import Client

    elsewhere = Client()
    sign_in(elsewhere)
    sign_in(client)
    wrong = client.post("/account/password/", {"current": "wrong", "password": OTHER})
    assert b"not your current password" in wrong.content

    client.post("/account/password/", {"current": PASSWORD, "password": OTHER})

    assert client.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 302
    assert sign_in(elsewhere, OTHER)["Location"] == "/"


def test_a_worker_who_signed_in_through_a_link_sets_a_first_password(client):
    worker = accounts.create_worker("grace", password=None, now=clock.now())
    client.post(f"/signin/token/{accounts.signin_token(worker, clock.now())}/")
    assert b"Current password" not in client.get("/account/password/").content

    client.post("/account/password/", {"password": OTHER})

    client.logout()
    assert sign_in(client, OTHER, "grace")["Location"] == "/"


def test_an_address_is_used_after_it_was_confirmed(client, ada, settings):
    settings.MAIL = True
    client.force_login(ada)
    client.post("/account/", {"email": "new@example.org", "country": "de", "current": PASSWORD})
    ada.refresh_from_db()
    assert (ada.email, ada.email_confirmed_at, ada.country) == ("new@example.org", None, "DE")
    link = link_in_mail()
    assert mail.outbox[-1].to == ["new@example.org"]

    client.get(link)
    ada.refresh_from_db()
    assert ada.email_confirmed_at is None
    client.post(link)

    ada.refresh_from_db()
    assert ada.email_confirmed_at is not None


def test_an_old_confirmation_does_not_confirm_a_later_address(client, ada, settings):
    settings.MAIL = True
    client.force_login(ada)
    client.post("/account/", {"email": "first@example.org", "current": PASSWORD})
    link = link_in_mail()
    client.post("/account/", {"email": "second@example.org", "current": PASSWORD})

    assert client.post(link).status_code == 403

    ada.refresh_from_db()
    assert ada.email_confirmed_at is None


def test_a_missing_password_is_not_counted_as_wrong(client, reachable, settings):
    settings.SIGNIN_ATTEMPTS = 3
    client.force_login(reachable)

    answers = [client.post("/account/", {"email": "new@example.org", "current": ""}) for _ in range(4)]
    changed = client.post("/account/", {"email": "new@example.org", "current": PASSWORD})

    assert {answer.status_code for answer in answers} == {422}
    assert all(b"Enter your current password." in answer.content for answer in answers)
    assert changed.status_code == 302


def test_a_stolen_session_changes_neither_address_nor_password(client, reachable, settings):
    settings.SIGNIN_ATTEMPTS = 3
    client.force_login(reachable)

    evil = {"email": "evil@example.org", "current": "wrong"}
    answers = [client.post("/account/", evil) for _ in range(4)]
    password = client.post("/account/password/", {"current": PASSWORD, "password": OTHER})

    reachable.refresh_from_db()
    assert reachable.email == "ada@example.org"
    assert reachable.check_password(PASSWORD)
    assert {answer.status_code for answer in (*answers, password)} == {422}
    assert b"not your current password" in answers[2].content
    assert b"Too many wrong passwords" in answers[3].content + password.content
    assert not Outgoing.objects.exists()


def test_a_stolen_session_gives_no_password_to_an_account_without_one(client, settings):
    worker = accounts.create_worker("grace", password=None, now=clock.now())
    client.force_login(worker)  # no sign-in within the last hour

    changed = client.post("/account/", {"email": "evil@example.org"})
    chosen = client.post("/account/password/", {"password": OTHER})

    worker.refresh_from_db()
    assert (changed.status_code, chosen.status_code, worker.email) == (422, 422, "")
    assert not worker.has_usable_password()
    assert b"signed in too long ago" in chosen.content


def test_the_previous_address_is_notified_of_changes(client, reachable):
    sign_in(client)
    client.post("/account/password/", {"current": PASSWORD, "password": OTHER})
    client.post("/account/", {"email": "new@example.org", "current": OTHER})

    outbox.send_due_messages(clock.now())

    told = [(message.to[0], message.subject) for message in mail.outbox]
    assert told == [
        ("ada@example.org", "Your password was changed"),
        ("ada@example.org", "Your e-mail address was changed"),
        ("new@example.org", "Confirm your address"),
    ]
    assert "new@example.org" in mail.outbox[1].body


def test_a_new_password_ends_sign_in_links(client, ada):
    link = f"/signin/token/{accounts.signin_token(ada, clock.now())}/"
    sign_in(client)

    client.post("/account/password/", {"current": PASSWORD, "password": OTHER})

    client.logout()
    assert client.post(link).status_code == 403


def test_messages_are_mailed_to_confirmed_addresses_only(ask, hit_type, reachable):
    kind = ask("CreateQualificationType", Name="q", Description="d", QualificationTypeStatus="Active")
    type_id = kind["QualificationType"]["QualificationTypeId"]
    silent = accounts.create_worker("grace", password=None, email="g@example.org", now=clock.now())
    Outgoing.objects.all().delete()  # the link that confirms it

    for worker in (reachable, silent):
        ask("AssociateQualificationWithWorker", QualificationTypeId=type_id, WorkerId=worker.worker_id)

    assert [row.destination for row in Outgoing.objects.all()] == ["ada@example.org"]
    assert silent.messages.count() == 1


def test_wrong_passwords_are_limited_and_the_right_one_waits_too(client, ada, settings):
    settings.SIGNIN_ATTEMPTS = 3
    assert [sign_in(client, "wrong").status_code for _ in range(4)] == [422, 422, 422, 429]

    response = sign_in(client)

    assert response.status_code == 429
    assert int(response["Retry-After"]) == 300
    assert b"Too many wrong passwords" in response.content


def test_right_passwords_are_never_limited(client, ada, settings):
    settings.SIGNIN_ATTEMPTS = 2

    assert [sign_in(client).status_code for _ in range(8)] == [302] * 8


def test_an_address_that_tries_many_names_is_limited(client, settings):
    settings.SIGNIN_ATTEMPTS = 1

    codes = [sign_in(client, "wrong", f"name{number}").status_code for number in range(11)]

    assert codes == [422] * 10 + [429]
    assert sign_in(client, "wrong", "name99", REMOTE_ADDR="192.0.2.7").status_code == 422


def test_a_limit_of_zero_is_off(client, ada, settings):
    settings.SIGNIN_ATTEMPTS = 0

    assert {sign_in(client, "wrong").status_code for _ in range(20)} == {422}


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "198.51.100.1", "127.0.0.1"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "10.9.9.9, 198.51.100.1", "198.51.100.1"),
        (2, "198.51.100.1, 10.0.0.1", "198.51.100.1"),
        (2, "198.51.100.1", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_the_address_is_what_our_own_proxy_saw(settings, proxies, forwarded, address):
    settings.PROXIES = proxies

    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded} if forwarded else {})

    assert client_address(request) == address


def test_only_its_owner_sees_that_an_account_is_closed(client, ada):
    call_command("set_worker", "ada", "--close")

    assert sign_in(client, "wrong").status_code == 422
    response = sign_in(client)
    assert response.status_code == 403
    assert b"This account is closed" in response.content

    call_command("set_worker", "ada", "--reopen")
    assert sign_in(client)["Location"] == "/"


def test_closing_an_account_ends_its_sessions(client, ada):
    sign_in(client)

    call_command("set_worker", "ada", "--close")

    assert client.get("/").status_code == 302


def test_system_qualifications_are_set_by_the_operator(client, ask, ada, capsys):
    call_command("set_worker", ada.worker_id, "--country", "us", "--subdivision", "ca", "--masters", "yes")
    californian = {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "EqualTo",
        "LocaleValues": [{"Country": "US", "Subdivision": "CA"}],
    }
    masters = {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}
    type_id = make_type(ask, QualificationRequirements=[californian, masters])
    make_hit(ask, type_id, at=clock.now())
    client.force_login(ada)

    assert f'data-hit-type="{type_id}"' in client.get("/").content.decode()
    with pytest.raises(CommandError, match="Nothing to set"):
        call_command("set_worker", "ada")


def test_workers_are_listed(ada, capsys):
    call_command("workers")

    assert ada.worker_id in capsys.readouterr().out
