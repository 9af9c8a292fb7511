"""Addresses with NUL characters are refused with a message and one line in the log."""

import logging

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/?q=%00", "/collections/%00/", "/api/v1/collections?q=a%00"])
def test_a_nul_in_an_address_is_refused_without_a_traceback(client, caplog, address):
    with caplog.at_level(logging.INFO):
        response = client.get(address)

    assert response.status_code == 400
    assert [line.name for line in caplog.records if line.levelno >= logging.WARNING] == ["django.request"]
    assert not any(line.exc_info for line in caplog.records)
    if address.startswith("/api/"):
        assert response.json()["detail"] == "The address contains a NUL character."
    else:
        assert b"Bad request" in response.content


@pytest.mark.parametrize("address", ["/?q=%2500", "/?q=0"])
def test_other_addresses_pass(client, address):
    assert client.get(address).status_code == 200
