"""A campaign before its launch, its manager, and the fields that browsers send."""

import re

import pytest

from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.models import Campaign
from pooling.models import Membership
from tests.factories import grant_to, make_qrels
from tests.judging.cast import Fair
from tests.judging.conftest import crowd as crowd

DRAFT = "/campaigns/fair/prepare/"
GARBAGE = ("", "x", "-1", "1e400", "9" * 400, "nan", "<script>", "\x00")


@pytest.fixture
def fair(crowd, db, django_user_model):
    """Four queries of three passages with labels, and a manager."""
    fair = Fair(crowd)
    labels = [(f"q{number}", f"q{number}-a", 1) for number in range(4)]
    fair.pool.qrel_set = make_qrels(fair.collection, "official", labels)
    fair.pool.save()
    fair.mia = django_user_model.objects.create_user("mia")
    Membership.objects.create(collection=fair.collection, user=fair.mia, role="manager")
    grant_to(collection=fair.collection)
    return fair


@pytest.fixture
def manager(client, fair):
    client.force_login(fair.mia)
    return client


@pytest.fixture
def draft(fair) -> Campaign:
    """An unprepared draft at the fake crowd."""
    settings = CampaignSettings(gold_per_task=1, max_tasks_per_worker=2, pairs_per_task=3)
    campaign = create_campaign(name="fair", settings=settings, pool=fair.pool)
    Campaign.objects.filter(pk=campaign.pk).update(crowd="fake")
    return campaign


@pytest.fixture
def ready(fair) -> Campaign:
    """A draft that passes the check list: four tasks."""
    return fair.draft(gold_per_task=1, max_tasks_per_worker=2, pairs_per_task=3)


def texts(reply) -> str:
    """Return the page's text without tags and repeated white space."""
    return " ".join(re.sub(r"<[^>]*>", " ", reply.content.decode()).split())


def shown(campaign: Campaign, form) -> dict[str, str]:
    """Return what a browser sends from this campaign's unchanged form."""
    values = form.values_of(
        CampaignSettings(**{n: getattr(campaign, n) for n in CampaignSettings().values()})
    )
    values |= {"minimum_hourly": campaign.minimum_hourly}
    sent = {name: values[name] for name in form.base_fields}
    return as_sent(sent)


def as_sent(values) -> dict[str, str]:
    """Return field values as a browser sends them, without unticked boxes."""
    kept = {name: value for name, value in values.items() if value is not None and value is not False}
    return {name: "on" if value is True else str(value) for name, value in kept.items()}
