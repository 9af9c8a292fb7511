"""Administrators must set up a second factor if the setting requires it, and can always reach that page."""

import json

import pytest
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core.management import call_command

pytestmark = pytest.mark.one_database
PASSWORD = "a horse reads passages"


@pytest.fixture
def admin(django_user_model, settings):
    settings.ADMIN_SECOND_FACTOR = True
    return django_user_model.objects.create_superuser("ada", "ada@example.org", PASSWORD)


def set_up(client):
    """Set up an app as the pages describe; returns the redirect's address."""
    asked = client.get("/accounts/2fa/totp/activate/", follow=True)
    assert asked.redirect_chain[-1][0].startswith("/accounts/reauthenticate/")
    assert b"Administrators need a second factor here" in asked.content
    client.post(asked.redirect_chain[-1][0], {"password": PASSWORD})
    secret = client.get("/accounts/2fa/totp/activate/").context["form"].secret
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    return client.post("/accounts/2fa/totp/activate/", {"code": code})


def test_the_first_administrator_sets_one_up_before_anything_else(client, admin):
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    for address in ("/", "/admin/", "/accounts/tokens/", "/accounts/email/", "/collections/new/"):
        assert client.get(address)["Location"] == "/accounts/2fa/totp/activate/"
    part = client.get("/", headers={"HX-Request": "true"})
    assert (part.status_code, part["HX-Redirect"]) == (200, "/accounts/2fa/totp/activate/")

    assert set_up(client).status_code == 302

    assert client.get("/").status_code == 200
    assert client.get("/admin/").status_code == 200


def test_an_administrator_can_leave_without_one(client, admin):
    client.force_login(admin)

    client.post("/accounts/logout/")

    assert client.get("/").status_code == 200


def test_other_people_and_installations_need_no_second_factor(client, admin, settings, django_user_model):
    client.force_login(django_user_model.objects.create_user("grace"))
    assert client.get("/").status_code == 200

    settings.ADMIN_SECOND_FACTOR = False
    client.force_login(admin)
    assert client.get("/").status_code == 200


def test_a_lost_second_factor_is_reset_in_the_terminal(client, admin, capsys):
    TOTP.activate(admin, generate_totp_secret())

    call_command("reset_second_factor", "ada", json=True)

    assert json.loads(capsys.readouterr().out)["removed"] >= 1
    sign_in = client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert sign_in["Location"] == "/signed-in/"
    assert client.get("/")["Location"] == "/accounts/2fa/totp/activate/"


def test_a_wrong_name_resets_nobody(admin):
    with pytest.raises(SystemExit) as ended:
        call_command("reset_second_factor", "nobody")

    assert ended.value.code == 1
