"""API tokens: shown once, stored as a hash, ended by expiry, revocation or the removal of their person."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connections
from django.test import Client

from accounts.errors import TokenRefused
from accounts.forms import TokenForm
from accounts.models import ApiToken
from accounts.services.tokens import make_token, revoke_token, token_of
from accounts.views import UNSEEN
from config import clock

pytestmark = pytest.mark.django_db


PASSWORD = "a horse reads passages"


@pytest.fixture
def ada(django_user_model):
    return django_user_model.objects.create_user("ada")


@pytest.fixture
def grace(django_user_model, client):
    """A person with a password, whose session may have been stolen."""
    grace = django_user_model.objects.create_user("grace", "grace@example.org", PASSWORD)
    EmailAddress.objects.create(user=grace, email="grace@example.org", primary=True, verified=True)
    client.force_login(grace)
    return grace


def made(ada, **details):
    return make_token(user=ada, **({"name": "nightly", "scopes": ["read", "runs"], "days": 30} | details))


def test_a_token_is_found_by_its_text(ada):
    token, text = made(ada)

    assert token_of(text) == token
    assert text.startswith(f"pfr_{token.mark}_")
    assert token.scopes == ["read", "runs"]


def test_only_its_hash_is_kept(ada):
    _, text = made(ada)

    assert text.split("_", 2)[2] not in str(ApiToken.objects.values().get())


def test_a_token_expires(ada):
    token, text = made(ada, days=1)

    with clock.shifted(timedelta(days=1, seconds=1)):
        assert token_of(text) is None
    revoke_token(user=ada, key=token.pk)
    assert token_of(text) is None


def test_a_token_ends_with_its_account(ada):
    _, text = made(ada)
    ada.is_active = False
    ada.save()

    assert token_of(text) is None


def by_the_page(client, user):
    client.post(
        "/accounts/password/change/",
        {
            "oldpassword": PASSWORD,
            "password1": "a mule reads them twice",
            "password2": "a mule reads them twice",
        },
    )


def by_a_command(client, user):
    user.set_password("a mule reads them twice")
    user.save(update_fields=["password"])


def by_taking_it_away(client, user):
    user.set_unusable_password()
    user.save()


@pytest.mark.parametrize("change", [by_the_page, by_a_command, by_taking_it_away])
def test_a_new_password_revokes_tokens(client, grace, change):
    _, text = made(grace)

    change(client, grace)

    grace.refresh_from_db()
    assert not grace.check_password(PASSWORD)
    assert token_of(text) is None


def test_rehashing_the_same_password_keeps_tokens(grace, settings):
    _, text = made(grace)
    settings.PASSWORD_HASHERS = settings.PASSWORD_HASHERS[::-1]

    before = grace.password
    assert grace.check_password(PASSWORD)
    grace.refresh_from_db()
    assert grace.password != before
    assert token_of(text)


def test_a_stolen_session_cannot_create_a_token_or_add_an_address(client, grace):
    token = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7})
    address = client.post("/accounts/email/", {"email": "evil@example.org", "action_add": ""})

    assert [answer["Location"].split("?")[0] for answer in (token, address)] == [
        "/accounts/reauthenticate/"
    ] * 2
    assert not grace.api_tokens.exists()
    assert EmailAddress.objects.get().email == "grace@example.org"


def test_creating_a_token_requires_the_password(client, grace):
    asked = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7})

    shown = client.post(asked["Location"], {"password": PASSWORD}, follow=True)

    assert grace.api_tokens.get().name == "ci"
    assert shown.redirect_chain[-1][0] == "/accounts/tokens/"
    assert token_of(shown.context["text"])


def test_pressing_a_button_twice_still_shows_the_only_token(client, grace):
    asked = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7, "once": "x"})

    dropped = client.post(asked["Location"], {"password": PASSWORD})
    followed = client.post(asked["Location"], {"password": PASSWORD}, follow=True)

    assert b"pfr_" not in dropped.content
    assert token_of(followed.context["text"]) == grace.api_tokens.get()
    assert client.post("/accounts/tokens/", {"once": "x"})["Location"] == "/accounts/tokens/"
    assert client.get("/accounts/tokens/").context["text"] == ""


def test_a_token_waits_for_its_page_only_sealed(client, ada):
    client.force_login(ada)

    reply = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7})
    kept = dict(client.session)
    client.head("/accounts/tokens/")
    text = client.get(reply["Location"]).context["text"]

    assert token_of(text)
    assert text not in str(kept)
    assert "pfr_" not in reply["Location"] + str(kept)
    assert UNSEEN not in client.session


def test_a_token_revoked_before_it_is_seen_is_not_shown(client, ada):
    client.force_login(ada)
    client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7})
    ApiToken.objects.update(revoked_at=clock.now())

    assert b"Copy the token" not in client.get("/accounts/tokens/").content


def test_a_new_password_is_reported_by_e_mail(client, grace, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"

    by_the_page(client, grace)

    assert [message.to for message in mail.outbox] == [["grace@example.org"]]


def test_last_use_is_recorded_at_most_once_a_minute(ada):
    _, text = made(ada)
    token_of(text)
    first = ApiToken.objects.get().last_used_at
    token_of(text)

    assert ApiToken.objects.get().last_used_at == first
    with clock.shifted(timedelta(minutes=2)):
        token_of(text)
    assert ApiToken.objects.get().last_used_at > first


@pytest.mark.parametrize("wrong", [{"name": " "}, {"scopes": ["fly"]}, {"days": 0}, {"days": 367}])
def test_invalid_tokens_are_not_created(ada, wrong):
    with pytest.raises(TokenRefused):
        made(ada, **wrong)


def test_the_page_shows_a_token_once(client, ada):
    client.force_login(ada)

    shown = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7}, follow=True)
    text = shown.context["text"]

    assert text in shown.content.decode()
    assert token_of(text)
    later = client.get("/accounts/tokens/").content.decode()
    assert text not in later
    assert f"pfr_{token_of(text).mark}_" in later


def test_reloading_the_page_of_a_new_token_creates_no_second_one(client, ada):
    client.force_login(ada)
    form = {"name": "ci", "scopes": ["read"], "days": 7}
    form["once"] = client.get("/accounts/tokens/").context["once"]

    replies = [client.post("/accounts/tokens/", form) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [302, 302]
    assert ada.api_tokens.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_form_sent_twice_at_once_creates_one_token_which_is_shown(client, ada, monkeypatch):
    client.force_login(ada)
    together, is_valid = threading.Barrier(2), TokenForm.is_valid
    form = {"name": "ci", "scopes": ["read"], "days": 7, "once": "x"}

    def both_have_arrived(form):
        together.wait(30)
        return is_valid(form)

    def send(sender):
        try:
            return sender.post("/accounts/tokens/", form)["Location"]
        finally:
            connections.close_all()

    monkeypatch.setattr(TokenForm, "is_valid", both_have_arrived)
    senders = [Client(), Client()]
    for sender in senders:
        sender.cookies.update(client.cookies)
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(send, senders))

    assert replies == ["/accounts/tokens/"] * 2
    assert token_of(client.get("/accounts/tokens/").context["text"]) == ada.api_tokens.get()


def test_a_form_that_arrives_as_its_person_signs_out_creates_no_token_and_signs_nobody_in(
    client, ada, monkeypatch
):
    client.force_login(ada)
    session, is_valid = client.session, TokenForm.is_valid

    def signed_out_meanwhile(form):
        session.delete()
        return is_valid(form)

    monkeypatch.setattr(TokenForm, "is_valid", signed_out_meanwhile)

    reply = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7})

    assert reply.status_code == 400
    assert not ada.api_tokens.exists()
    assert client.get("/accounts/tokens/").status_code == 302


def test_the_page_revokes(client, ada):
    client.force_login(ada)
    token, text = made(ada)

    client.post(f"/accounts/tokens/{token.pk}/revoke")

    assert token_of(text) is None
