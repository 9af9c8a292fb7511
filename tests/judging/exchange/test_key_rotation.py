"""SECRET_KEY changes during a campaign. With the old key in the fallbacks, workers notice nothing."""

import hashlib
from importlib import import_module

import pytest
from django.apps import apps

from judging.errors import CrowdLater
from judging.intake.collection import collect
from judging.intake.places import post_places
from judging.models import Campaign, Place, Submission
from judging.money.ledger import compare_books
from judging.money.payments import pay_owed
from judging.workers.block_lists import common_list_name, limit_list_name, list_name, sync_blocks
from tests.judging.visitor import Visitor


@pytest.fixture
def rotate(settings):
    """Change the key as an operator does."""

    def change(to: str) -> None:
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        settings.SECRET_KEY = to

    return change


def test_a_bonus_whose_reply_was_lost_before_the_change_is_paid_once(fair, campaign, rotate):
    fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        pay_owed(campaign)

    rotate("the next one")
    fair.collect(campaign)

    assert len(fair.crowd.paid_bonuses) == 1
    assert compare_books(campaign).differences == []


def test_a_place_whose_reply_was_lost_before_the_change_is_known_again_and_not_offered_twice(fair, rotate):
    campaign = fair.launched(fair.draft())
    fair.crowd.fail("post_place", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        post_places(campaign)

    rotate("the next one")
    post_places(campaign)

    assert len(fair.crowd.posted) == campaign.tasks.count()
    assert set(Place.objects.values_list("crowd_id", flat=True)) == set(fair.crowd.posted)


def test_a_worker_in_the_middle_of_a_task_goes_on_and_is_paid(fair, crowd, campaign, crowd_site, rotate):
    martha = Visitor(crowd, campaign)
    martha.begin()

    rotate("the next one")
    martha.finish()
    crowd.hand_in(martha.taken, {})
    fair.collect(campaign)

    assert Submission.objects.get().standing == "counted"
    assert {*Submission.objects.get().payments.values_list("state", flat=True)} == {"paid"}
    # The addresses shown by the crowd were signed with the old key.
    assert Visitor(crowd, campaign, "AHENRY").begin().status_code == 200


def test_the_list_of_excluded_workers_stays_the_one_that_places_ask_for(fair, campaign, rotate):
    fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)
    sync_blocks(campaign)
    before = list_name(campaign)

    rotate("the next one")
    fair.do_task(campaign, "A2", pass_gold=False)
    fair.collect(campaign)
    sync_blocks(campaign)

    assert list_name(campaign) == before
    both = {name: {"A1", "A2"} for name in (before, common_list_name(campaign))}
    assert fair.crowd.block_lists == both | {limit_list_name(campaign): set()}


def test_campaigns_under_way_keep_the_key_that_was_made_of_the_secret(campaign, settings):
    migration = import_module("judging.migrations.0012_campaign_call_key")

    migration.keep_the_keys(apps, None)

    made_of = f"{settings.SECRET_KEY}:{campaign.pk}:{campaign.created_at.isoformat()}"
    assert Campaign.objects.get().call_key == hashlib.sha256(made_of.encode()).hexdigest()[:16]
