"""Sign-up, sign-in and sign-out."""

import pytest

from marketplace.models import Worker
from marketplace.services.account import accounts
from tests.marketplace.conftest import NOW

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def sign_up(client, **changes):
    return client.post("/signup/", {"username": "Ada", "password": PASSWORD} | changes)


def test_signing_up_creates_an_account_and_signs_in(client):
    response = sign_up(client, country="gb")

    worker = Worker.objects.get()
    assert response["Location"] == "/"
    assert (worker.username, worker.country) == ("ada", "GB")
    assert worker.worker_id.startswith("A")
    assert worker.worker_id in client.get("/").content.decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"username": "a b"},
        {"username": ""},
        {"password": "short"},
        {"password": "password123"},
        {"country": "Germany"},
        {"country": "4!"},
        {"email": "nowhere"},
    ],
)
def test_invalid_values_are_explained_beside_their_field(client, changes):
    response = sign_up(client, **changes)

    assert response.status_code == 422
    assert b'class="error' in response.content
    assert not Worker.objects.exists()


def test_names_of_programs_are_for_programs_only(client):
    assert b"reserved for programs" in sign_up(client, username="Simulated-bob").content
    assert not Worker.objects.exists()

    sign_up(client, username="simulated-7f3a", program="yes")
    assert Worker.objects.get().is_program


def test_only_declared_accounts_are_programs(client):
    page = client.get("/signup/").content.decode()
    sign_up(client)

    assert "program" not in page
    assert not Worker.objects.get().is_program


def test_a_taken_name_is_refused(client):
    sign_up(client)
    client.logout()

    assert b"This name is taken" in sign_up(client, username="ADA").content


def test_a_closed_sign_up_says_so(client, settings):
    settings.OPEN_SIGNUP = False

    response = sign_up(client)

    assert response.status_code == 403
    assert b'data-refusal="signup_closed"' in response.content
    assert not Worker.objects.exists()


def test_signing_in_leads_to_the_page_asked_for(client):
    sign_up(client)
    client.post("/signout/")
    assert client.get("/done/")["Location"] == "/signin/?next=/done/"

    response = client.post("/signin/", {"username": "ADA", "password": PASSWORD, "next": "/done/"})

    assert response["Location"] == "/done/"


def test_signing_in_never_leads_elsewhere(client):
    sign_up(client)

    response = client.post(
        "/signin/", {"username": "ada", "password": PASSWORD, "next": "https://evil.example/"}
    )

    assert response["Location"] == "/"


def test_a_wrong_password_is_refused(client):
    sign_up(client)
    client.logout()

    response = client.post("/signin/", {"username": "ada", "password": "wrong"})

    assert response.status_code == 422
    assert b"Wrong name or password" in response.content


def test_a_link_signs_in_once_and_only_when_the_button_is_pressed(client, ada, monkeypatch):
    monkeypatch.setattr("marketplace.clock.now", lambda: NOW)
    address = f"/signin/token/{accounts.signin_token(ada, NOW)}/"
    assert client.get(address).status_code == 200

    assert client.post(address)["Location"] == "/"
    assert ada.worker_id in client.get("/").content.decode()
    assert client.post(address).status_code == 403


def test_forms_need_the_token_of_their_page(ada):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)

    assert strict.post("/signout/").status_code == 403
