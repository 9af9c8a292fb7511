"""What non-members see of a published collection's campaigns."""

from decimal import Decimal

import pytest
from django.test import Client

from config import clock
from judging.models import Campaign
from web.collections.pages import seen_by_everybody

pytestmark = pytest.mark.one_database


@pytest.fixture
def others(published):
    """Hidden campaigns of every kind in the published collection, by name."""
    made = {}
    for name, facts in {
        "secret-draft": {"state": Campaign.State.DRAFT},
        "small-pilot": {"state": Campaign.State.PILOTED, "launched_at": clock.now()},
        "dry-run": {
            "state": Campaign.State.CLOSED,
            "launched_at": clock.now(),
            "rehearsal_of": published.campaign,
        },
        "given-up": {"state": Campaign.State.CLOSED},
    }.items():
        made[name] = Campaign.objects.create(
            name=name,
            collection=published.collection,
            pool=published.campaign.pool,
            budget=Decimal(12345),
            seed=1,
            **facts,
        )
    return made


def test_only_members_see_drafts_pilots_and_rehearsals(published, others, member):
    client = Client()
    home, answer = client.get("/").content.decode(), client.get("/api/v1/campaigns").json()

    assert [one["name"] for one in answer] == [published.campaign.name]
    for name in others:
        assert name not in home
        assert client.get(f"/campaigns/{name}/").status_code == 404
        assert client.get(f"/api/v1/campaigns/{name}").status_code == 404
    assert seen_by_everybody(published.collection)["campaigns"] == 1

    assert all(name in member.get("/campaigns/").content.decode() for name in others)
    assert member.get("/campaigns/secret-draft/").status_code == 200


def test_only_members_see_money(published, member):
    client = Client()
    Campaign.objects.filter(pk=published.campaign.pk).update(budget=Decimal(12345))
    addresses = ["/", f"/campaigns/{published.campaign.name}/", f"/collections/{published.collection.name}/"]

    for address in addresses:
        page = client.get(address).content.decode()
        assert " paid" not in page
        assert "12,345" not in page
    [facts] = client.get("/api/v1/campaigns").json()
    assert (facts["budget"], facts["spent"], facts["owed"]) == (None, None, None)

    assert "$12,345.00 budget" in member.get(addresses[1]).content.decode()
