"""Places at the crowd that are not on record: found when somebody arrives, and before others are offered."""

from contextlib import suppress
from datetime import timedelta

import pytest
import time_machine

from config import clock
from judging.crowds.interface import Arrival
from judging.errors import CrowdLater
from judging.exchange.recovered_places import UNKNOWN_PLACES
from judging.intake.collection import collect
from judging.intake.places import post_places
from judging.models import Campaign, CrowdCall, Payment, Place, Submission
from judging.money.payments import pay_owed
from judging.page import arrivals, session


@pytest.fixture
def campaign(fair):
    """A campaign with all its places at the crowd, where the reply to the first was lost."""
    campaign = fair.launched(fair.draft())
    fair.crowd.fail("post_place", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        post_places(campaign)
    assert Place.objects.get(state="wanted").number == 1
    return campaign


def arrives(campaign, place, *, assignment="ASSIGNMENT1", worker="AMARTHA"):
    arrival = Arrival(assignment, place, worker, "", preview=False)
    return arrivals.open_task(campaign.postings.get(), arrival)


def lost_since(campaign):
    """Restore the database to before anything was offered."""
    CrowdCall.objects.filter(operation__in=["post_place", "pay_bonus"]).delete()
    Place.objects.update(state="wanted", crowd_id="", expires_at=None)
    Campaign.objects.filter(pk=campaign.pk).update(state="open")


def test_a_worker_who_arrives_before_the_reply_gets_a_task(fair, campaign):
    first = fair.crowd.take("AMARTHA", fair.crowd.posted["PLACE0000"])

    submission = arrives(campaign, first.posted.crowd_id, assignment=first.assignment_id)

    assert (submission.place.number, submission.place.state) == (1, "open")
    assert CrowdCall.objects.get(key=first.posted.key).state == "done"
    assert post_places(campaign) == 0
    assert len(fair.crowd.posted) == 4


def test_forged_places_get_no_task_and_lookups_are_limited(fair, campaign, settings):
    # Use a separate cache: other tests clear the shared one.
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    refused = []
    with time_machine.travel(clock.now(), tick=False):
        for number in range(UNKNOWN_PLACES.a_minute + 5):
            with pytest.raises(session.WorkRefused) as error:
                arrives(campaign, f"MADEUP{number}", worker=f"AFORGED{number}")
            refused.append(error.value.reason)

    assert refused == ["unknown-link"] * UNKNOWN_PLACES.a_minute + ["not-ready"] * 5
    assert fair.crowd.calls["place"] == UNKNOWN_PLACES.a_minute
    assert not Submission.objects.exists()


def test_place_of_another_campaign_is_none_of_ours(fair, campaign):
    other = fair.draft_of("other")
    Campaign.objects.filter(pk=other.pk).update(crowd="fake", state="open")
    other.refresh_from_db()
    other.postings.create(number=1)
    fair.add_gold(other, 3)

    with pytest.raises(session.WorkRefused, match="unknown-link"):
        arrives(other, "PLACE0000")


def test_a_worker_who_arrives_while_the_crowd_is_down_is_asked_to_wait(fair, campaign):
    fair.crowd.fail("place", CrowdLater("no answer"))

    with pytest.raises(session.WorkRefused, match="not-ready"):
        arrives(campaign, "PLACE0000")

    assert arrives(campaign, "PLACE0000").state == "held"


def test_nothing_is_offered_twice_after_a_restore_when_tokens_are_forgotten(fair, campaign):
    lost_since(campaign)
    fair.crowd.tokens.clear()

    with time_machine.travel(clock.now() + timedelta(days=3)):
        assert post_places(campaign) == 4

    assert len(fair.crowd.posted) == 4
    assert set(Place.objects.values_list("crowd_id", flat=True)) == set(fair.crowd.posted)


def test_crowds_list_is_not_read_before_each_offer(fair, campaign):
    fair.crowd.calls.clear()
    Place.objects.create(posting=campaign.postings.get(), number=5)

    post_places(campaign)

    assert (fair.crowd.calls["post_place"], fair.crowd.calls["places"]) == (2, 0)


def test_sweep_takes_in_work_on_a_place_that_no_record_knows(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1", fair.crowd.posted["PLACE0003"])
    fair.answer(submission)
    fair.send_off(submission)
    place = Place.objects.get(submissions=submission)
    Submission.objects.update(place=None)
    CrowdCall.objects.filter(key=fair.crowd.posted[place.crowd_id].posted.key).delete()
    place.delete()

    collect(campaign, sweep=True)

    assert Submission.objects.get().standing == "counted"
    assert Submission.objects.get().place.state == "filled"


def test_bonus_of_a_day_ago_is_looked_for_before_it_is_paid_after_a_restore(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    Payment.objects.filter(kind="bonus").update(state="owed", call=None, paid_at=None)
    CrowdCall.objects.filter(operation="pay_bonus").delete()
    fair.crowd.tokens.clear()

    with time_machine.travel(clock.now() + timedelta(days=3)), suppress(CrowdLater):
        pay_owed(campaign)

    assert len(fair.crowd.paid_bonuses) == 1
    assert Payment.objects.get(kind="bonus").state == "paid"
