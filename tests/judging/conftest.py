"""The cast of the judging tests."""

from __future__ import annotations

import pytest

from judging import crowds
from judging.models import Campaign
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd
from tests.judging.visitor import CROWD_SITE, Visitor


@pytest.fixture
def crowd(monkeypatch) -> FakeCrowd:
    """The fake panel; campaigns whose ``crowd`` is "fake" talk to it."""
    panel = FakeCrowd()
    monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: panel)
    return panel


@pytest.fixture
def fair(crowd, db) -> Fair:
    """Four queries of three passages: twelve pairs, four tasks of three."""
    return Fair(crowd)


@pytest.fixture
def crowd_site(settings) -> str:
    """The only site whose frames and forms are allowed."""
    settings.CROWD_HOSTS = [CROWD_SITE]
    return CROWD_SITE


@pytest.fixture
def campaign(fair) -> Campaign:
    """The fair's campaign, launched, its places offered."""
    return fair.opened()


@pytest.fixture
def martha(crowd, campaign) -> Visitor:
    """Somebody who took a place of the campaign."""
    return Visitor(crowd, campaign)
