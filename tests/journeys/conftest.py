"""A marketplace process and the product's pages on real ports, and management commands."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from tests.contract.test_mturk import start_marketplace
from tests.waiting import PATIENCE_SECONDS


@pytest.fixture
def marketplace(tmp_path_factory):
    """A marketplace in a separate process; yields its requester's key."""
    folder = tmp_path_factory.mktemp("marketplace")
    process, _ = start_marketplace(folder, "--until-parent-exits")
    yield json.loads((folder / "marketplace-key.json").read_text())
    process.terminate()
    process.wait(timeout=PATIENCE_SECONDS)


@pytest.fixture
def site(live_server, marketplace, settings):
    """The product's pages over HTTP, with the marketplace as their crowd; yields their address."""
    settings.PUBLIC_URL = live_server.url
    settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT = marketplace["endpoint"]
    settings.CROWD_HOSTS = [marketplace["endpoint"]]
    settings.CROWD_ACCESS_KEY = marketplace["access_key"]
    settings.CROWD_SECRET_KEY = marketplace["secret_key"]
    return live_server.url


@pytest.fixture
def time_to_read(monkeypatch):
    """Do not hold pay for pairs judged faster than anybody can read: these journeys test other things."""
    monkeypatch.setattr("judging.tasks.evidence.least_seconds_a_pair", lambda campaign: 0.0)


def typed(*words: object) -> dict[str, Any]:
    """Return a management command's ``--json`` result; a refusal fails the test."""
    out = io.StringIO()
    call_command(*map(str, words), "--json", stdout=out)
    return json.loads(out.getvalue())
