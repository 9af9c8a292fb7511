"""A lost reply, and the retry 25 hours later, when the crowd has forgotten the request's token."""

from collections import Counter
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from config import clock
from judging.crowds import crowd_for
from judging.errors import CrowdLater
from judging.intake.collection import collect
from judging.intake.places import create_kind, post_places
from judging.launch.launches import launch_campaign
from judging.models import Campaign, CrowdCall, Payment, Place, Submission
from judging.money.ledger import compare_books
from judging.money.payments import pay_owed
from judging.simulation.browser import hang_up
from tests.chaos.conftest import Crowd
from tests.chaos.fault_proxy import Faults
from tests.chaos.person import Person
from tests.judging.cast import Fair

pytestmark = [pytest.mark.soak, pytest.mark.journey, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def moved_on(crowd, proxy):
    """The same crowd 25 hours later, with its data but without the request tokens."""
    crowds = []

    def move() -> Crowd:
        crowd.close()
        crowds.append(Crowd(crowd.folder, hours_on=25))
        proxy.upstream = urlsplit(crowds[0].url)
        proxy.faults = Faults()
        return crowds[0]

    yield move
    for later in crowds:
        later.close()


@pytest.fixture
def campaign(site, proxy):
    """A launched campaign at the crowd behind the proxy, so far without faults."""
    campaign = Fair(None).draft()
    Campaign.objects.filter(pk=campaign.pk).update(crowd="mturk")
    campaign.refresh_from_db()
    proxy.faults = Faults()
    launch_campaign(campaign, accept_weak_screening=True)
    create_kind(campaign, crowd_for(campaign), campaign.postings.get())
    return campaign


def test_places_with_lost_replies_are_found_after_the_tokens_expired(campaign, crowd, proxy, moved_on):
    proxy.faults = Faults(lost_reply=1.0)
    with pytest.raises(CrowdLater):
        post_places(campaign)
    assert not Place.objects.exclude(crowd_id="").exists()
    assert len(crowd.listed("list_hits", "HITs")) == 4

    later = moved_on()
    with clock.shifted(timedelta(hours=25)):
        posted = post_places(campaign)

    assert posted == 4
    hits = later.listed("list_hits", "HITs")
    assert Counter(Counter(hit["RequesterAnnotation"] for hit in hits).values()) == {1: 4}
    assert {hit["HITId"] for hit in hits} == set(Place.objects.values_list("crowd_id", flat=True))


def test_payments_with_lost_replies_are_not_repeated_after_the_tokens_expired(
    campaign, crowd, proxy, moved_on
):
    post_places(campaign)
    people = [Person(crowd.url, number) for number in range(3)]
    assert all(person.do_task(campaign) for person in people)
    hang_up()
    collect(campaign, sweep=True)
    proxy.faults = Faults(lost_reply=1.0, effects=("Send",))
    with pytest.raises(CrowdLater):
        pay_owed(campaign)
    assert set(Payment.objects.filter(kind="bonus").values_list("state", flat=True)) == {"owed"}

    later = moved_on()
    with clock.shifted(timedelta(hours=25)):
        pay_owed(campaign)
        assert compare_books(campaign).differences == []

    hits = later.listed("list_hits", "HITs")
    bonuses = [
        row
        for hit in hits
        for row in later.listed("list_bonus_payments", "BonusPayments", HITId=hit["HITId"])
    ]
    assert sorted(row["BonusAmount"] for row in bonuses) == ["1.80"] * 3
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}


def test_a_bonus_whose_reply_was_lost_is_not_paid_again_under_another_secret_key(
    campaign, crowd, proxy, settings
):
    post_places(campaign)
    assert Person(crowd.url, 0).do_task(campaign)
    hang_up()
    collect(campaign, sweep=True)
    proxy.faults = Faults(lost_reply=1.0, effects=("Send",))
    with pytest.raises(CrowdLater):
        pay_owed(campaign)

    proxy.faults = Faults()
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the next one"
    campaign = Campaign.objects.get(pk=campaign.pk)
    collect(campaign, sweep=True)
    pay_owed(campaign)

    assert compare_books(campaign).differences == []
    hits = crowd.listed("list_hits", "HITs")
    paid = [crowd.listed("list_bonus_payments", "BonusPayments", HITId=hit["HITId"]) for hit in hits]
    assert [row["BonusAmount"] for rows in paid for row in rows] == ["1.80"]


def test_effects_missing_in_a_restored_backup_are_found_at_the_crowd_and_not_repeated(
    campaign, crowd, proxy, moved_on
):
    post_places(campaign)
    assert Person(crowd.url, 0).do_task(campaign)
    hang_up()
    collect(campaign, sweep=True)
    pay_owed(campaign)
    # The backup is from the minute after the launch: it has the intents to offer places, and no submissions.
    Payment.objects.all().delete()
    Submission.objects.update(place=None)
    Place.objects.update(state="wanted", crowd_id="", expires_at=None)
    CrowdCall.objects.exclude(operation="create_kind").delete()

    later = moved_on()
    with clock.shifted(timedelta(hours=25)):
        post_places(campaign)
        Submission.objects.update(collected_at=None)
        collect(campaign, sweep=True)
        pay_owed(campaign)
        assert compare_books(campaign).differences == []

    hits = later.listed("list_hits", "HITs")
    assert set(Counter(hit["RequesterAnnotation"] for hit in hits).values()) == {1}
    assert {hit["HITId"] for hit in hits} == set(Place.objects.values_list("crowd_id", flat=True))
    paid = [later.listed("list_bonus_payments", "BonusPayments", HITId=hit["HITId"]) for hit in hits]
    assert [row["BonusAmount"] for rows in paid for row in rows] == ["1.80"]
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
