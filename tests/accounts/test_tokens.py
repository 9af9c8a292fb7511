"""API tokens: shown once, kept as a hash, ended by time, by hand and with their person."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.errors import TokenRefused
from accounts.models import ApiToken
from accounts.services.tokens import make_token, revoke, token_of
from config import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(django_user_model):
    return django_user_model.objects.create_user("ada")


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


def test_it_ends(ada):
    token, text = made(ada, days=1)

    with clock.shifted(timedelta(days=1, seconds=1)):
        assert token_of(text) is None
    revoke(user=ada, key=token.pk)
    assert token_of(text) is None


def test_it_ends_with_its_person(ada):
    _, text = made(ada)
    ada.is_active = False
    ada.save()

    assert token_of(text) is None


def test_last_use_is_noted_at_most_once_a_minute(ada):
    _, text = made(ada)
    token_of(text)
    first = ApiToken.objects.get().last_used_at
    token_of(text)

    assert ApiToken.objects.get().last_used_at == first
    with clock.shifted(timedelta(minutes=2)):
        token_of(text)
    assert ApiToken.objects.get().last_used_at > first


@pytest.mark.parametrize("wrong", [{"name": " "}, {"scopes": ["fly"]}, {"days": 0}, {"days": 367}])
def test_what_cannot_be_made(ada, wrong):
    with pytest.raises(TokenRefused):
        made(ada, **wrong)


def test_the_page_shows_a_token_once(client, ada):
    client.force_login(ada)

    shown = client.post("/accounts/tokens/", {"name": "ci", "scopes": ["read"], "days": 7})
    text = shown.context["text"]

    assert text in shown.content.decode()
    assert token_of(text)
    later = client.get("/accounts/tokens/").content.decode()
    assert text not in later
    assert f"pfr_{token_of(text).mark}_" in later


def test_reloading_the_page_that_shows_a_token_makes_no_other(client, ada):
    client.force_login(ada)
    form = {"name": "ci", "scopes": ["read"], "days": 7}
    form["once"] = client.get("/accounts/tokens/").context["once"]

    replies = [client.post("/accounts/tokens/", form) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [200, 302]
    assert ada.api_tokens.count() == 1


def test_the_page_revokes(client, ada):
    client.force_login(ada)
    token, text = made(ada)

    client.post(f"/accounts/tokens/{token.pk}/revoke")

    assert token_of(text) is None
