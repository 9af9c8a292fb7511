"""A campaign at a fake crowd, and its manager."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from judging import crowds
from judging.models import Campaign, Worker
from pooling.models import Membership
from tests.factories import grant_to
from tests.judging import saved
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd


@pytest.fixture
def crowd(monkeypatch) -> FakeCrowd:
    """The fake panel, used by campaigns whose ``crowd`` is "fake"."""
    panel = FakeCrowd()
    monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: panel)
    return panel


@pytest.fixture
def fair(crowd, db) -> Fair:
    """Four queries of three passages: twelve pairs, four tasks of three."""
    return saved.fair_of(crowd)


@pytest.fixture
def campaign(fair) -> Campaign:
    """The fair's campaign, launched, with its places offered."""
    return saved.campaign_of(fair)


@pytest.fixture
def manager(client, campaign) -> Client:
    """A client signed in as the campaign's manager."""
    ada = get_user_model().objects.create_user("ada")
    Membership.objects.create(collection=campaign.collection, user=ada, role="manager")
    grant_to(collection=campaign.collection)
    client.force_login(ada)
    return client


def text_of(reply, status: int = 200) -> str:
    """Return the page with white space collapsed."""
    assert reply.status_code == status, reply.content[:500]
    return " ".join(reply.content.decode().split())


def worker(name: str) -> Worker:
    return Worker.objects.get(identity__crowd_worker_id=name)
