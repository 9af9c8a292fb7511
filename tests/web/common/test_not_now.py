"""Pages while run storage is down: status 503 instead of an error; other pages work."""

import pytest

from tests.s3_server import KEYS, free_port, stored_on


@pytest.fixture
def away(published, settings, monkeypatch):
    """Store the harbour's runs on a server that does not answer."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    stored_on(settings, f"http://127.0.0.1:{free_port()}", "runs")
    return published


@pytest.mark.parametrize("address", ["runs/{run}/", "leaderboard/", "leaderboard.csv"])
def test_pages_that_need_a_run_return_503(client, away, caplog, address):
    reply = client.get(f"/collections/harbour/{address.format(run=away.quay.pk)}")

    page = reply.content.decode()
    assert reply.status_code == 503
    assert "Reload the page in a minute" in page
    assert "127.0.0.1" not in page
    assert "PREFEREE_S3_ENDPOINT" in caplog.text


def test_the_first_page_shows_what_needs_no_run(client, away):
    reply = client.get("/")

    assert reply.status_code == 200
    assert "is temporarily unavailable" in reply.content.decode()


def test_responses_have_retry_after(client, away):
    reply = client.get(f"/collections/harbour/runs/{away.quay.pk}/")

    assert (reply["Retry-After"], reply["Cache-Control"]) == ("30", "no-store")
