"""Unknown addresses and forms from other sites get an explanation."""

import logging
from urllib.parse import urlencode

import pytest
from django.test import Client

from marketplace.logs import Masked

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/nosuch", "/favicon.ico", "/admin/", "/invitation/cut"])
def test_an_address_that_leads_nowhere_is_not_found(client, address):
    response = client.get(address, follow=True)

    assert response.status_code in (403, 404, 410)
    assert b"Marketplace" in response.content


def test_another_hosts_name_is_refused_in_words(client):
    response = client.get("/signin/", headers={"host": "elsewhere.example"})

    assert response.status_code == 400
    assert b"This request did not work" in response.content
    assert b'href="/"' in response.content


@pytest.mark.parametrize(
    "fields",
    [
        {f"field-{number}": "x" for number in range(2000)},
        {"assignmentId": "3A", "long": "x" * 3 * 1024 * 1024},
    ],
    ids=["fields", "bytes"],
)
def test_a_submission_that_is_too_large_is_explained_in_the_frame(client, fields):
    response = client.post(
        "/mturk/externalSubmit", urlencode(fields), content_type="application/x-www-form-urlencoded"
    )

    assert response.status_code == 400
    assert b'data-refusal="malformed"' in response.content
    assert b"sent too much" in response.content


@pytest.mark.parametrize("address", ["/groups/%00/", "/done/?page=%00", "/signin/token/a%00/"])
def test_an_address_with_a_null_character_is_refused_in_words(client, ada, address):
    client.force_login(ada)

    response = client.get(address)

    assert response.status_code == 400
    assert b"This request did not work" in response.content


@pytest.mark.parametrize("fields", [{"assignmentId": "\0"}, {"assignmentId": "3A", "workerId": "\0"}])
def test_a_task_without_a_sound_id_is_unknown(client, fields):
    response = client.post("/mturk/externalSubmit", fields | {"answer": "x"})

    assert response.status_code == 404
    assert b'data-refusal="unknown"' in response.content


@pytest.mark.parametrize("address", ["/signin/", "/signup/"])
def test_a_form_with_a_null_character_is_refused_beside_its_field(client, address):
    response = client.post(address, {"username": "a\0", "password": "b\0"})

    assert response.status_code == 422
    assert b"Null characters are not allowed" in response.content


def test_a_lost_slash_is_put_back(client):
    assert client.get("/earnings").headers["Location"] == "/earnings/"


def test_a_form_from_elsewhere_is_refused_in_words():
    response = Client(enforce_csrf_checks=True).post("/signin/", {"username": "a", "password": "b"})

    assert response.status_code == 403
    assert b"The form was not accepted" in response.content


@pytest.mark.parametrize(
    "link", ["/invitation/{}/", "/invitation/{}", "/signin/token/{}/", "/password/A1B2/{}/", "/address/{}/"]
)
def test_links_are_not_logged_whole(link):
    record = logging.makeLogRecord(
        {"msg": "Internal Server Error: %s", "args": (link.format("s3cr-et~token"),)}
    )

    line = Masked("%(message)s").format(record)

    assert "s3cr" not in line
    assert link.split("{")[0] in line
