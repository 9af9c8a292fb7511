"""Signing in: name or address, limits, second factor; and no sign-up without an invitation."""

import pytest
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core import mail

PASSWORD = "a long password"


@pytest.fixture(autouse=True)
def _own_cache(settings, tmp_path):
    """Use a separate cache, because attempts are counted in it and other tests clear the shared one."""
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(tmp_path)}
    }


@pytest.fixture
def ada(django_user_model, db):
    return django_user_model.objects.create_user("ada", "ada@example.org", PASSWORD)


def sign_in(client, login="ada", password=PASSWORD, **more):
    return client.post("/accounts/login/", {"login": login, "password": password, **more})


def signed_in(client):
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("login", ["ada", "ada@example.org"])
def test_people_sign_in_with_name_or_address(client, ada, login):
    ada.emailaddress_set.create(email=ada.email, primary=True)

    assert sign_in(client, login)["Location"] == "/signed-in/"
    assert signed_in(client)


def test_signing_out(client, ada):
    sign_in(client)
    page = client.post("/accounts/logout/", follow=True).content.decode()

    assert "Sign in" in page
    assert not signed_in(client)


def test_a_wrong_password_error_does_not_say_which_part_is_wrong(client, ada):
    wrong, unknown = sign_in(client, password="wrong"), sign_in(client, login="nobody")

    assert not signed_in(client)
    assert "Not signed in." in wrong.content.decode()
    assert wrong.context["form"].errors == unknown.context["form"].errors


def test_guessing_is_stopped_even_for_the_right_password(client, ada):
    for _ in range(6):
        sign_in(client, password="wrong")

    assert "Too many" in sign_in(client).content.decode()
    assert not signed_in(client)


def test_signing_in_does_not_redirect_to_other_sites(client, ada):
    assert sign_in(client, next="https://elsewhere.example/")["Location"] == "/signed-in/"


def test_sign_up_is_closed_by_default(client, db, django_user_model):
    asked = {"username": "eve", "email": "e@example.org", "password1": PASSWORD, "password2": PASSWORD}

    assert "by invitation" in client.get("/accounts/signup/").content.decode()
    client.post("/accounts/signup/", asked)
    assert not django_user_model.objects.exists()


def test_sign_up_can_be_opened(client, db, settings, django_user_model):
    settings.OPEN_SIGNUP = True
    asked = {"username": "eve", "email": "e@example.org", "password1": PASSWORD, "password2": PASSWORD}

    client.post("/accounts/signup/", asked)

    assert django_user_model.objects.get().username == "eve"


def test_passwords_are_stored_as_argon2(ada):
    assert ada.password.startswith("argon2$")


def test_a_second_factor_is_required_and_a_code_works_once(client, ada):
    secret = generate_totp_secret()
    TOTP.activate(ada, secret)
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))

    assert sign_in(client)["Location"] == "/accounts/2fa/authenticate/"
    assert not signed_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": "000000" if code != "000000" else "111111"})
    assert not signed_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    assert signed_in(client)

    client.logout()
    sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    assert not signed_in(client)


def test_a_password_reset_response_is_the_same_for_known_and_unknown_addresses(client, ada, settings):
    settings.MAIL = True
    known = client.post("/accounts/password/reset/", {"email": "ada@example.org"}, follow=True)
    unknown = client.post("/accounts/password/reset/", {"email": "eve@example.org"}, follow=True)

    assert known.content == unknown.content
    assert "/accounts/password/reset/key/" in mail.outbox[0].body


def test_links_use_our_address_whatever_host_was_requested(client, ada, settings):
    settings.MAIL, settings.ALLOWED_HOSTS = True, ["*"]

    client.post("/accounts/password/reset/", {"email": "ada@example.org"}, headers={"host": "evil.example"})

    assert f"{settings.PUBLIC_URL}/accounts/password/reset/key/" in mail.outbox[0].body
    assert "evil.example/accounts/password/reset/key" not in mail.outbox[0].body


def test_pages_of_signed_in_people_are_not_stored_in_shared_caches(client, ada):
    assert "Cache-Control" not in client.get("/")

    client.force_login(ada)

    assert client.get("/")["Cache-Control"] == "private, no-cache"


def test_a_password_can_be_changed_while_the_mail_server_is_down(client, ada, settings, caplog):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    client.force_login(ada)
    form = {
        "oldpassword": PASSWORD,
        "password1": "a mule reads them twice",
        "password2": "a mule reads them twice",
    }

    assert client.post("/accounts/password/change/", form).status_code == 302

    ada.refresh_from_db()
    assert ada.check_password("a mule reads them twice")
    assert "could not be mailed" in caplog.text


def test_without_a_mail_server_the_page_names_a_contact(client, db):
    assert "sends no e-mail" in client.get("/accounts/password/reset/").content.decode()
