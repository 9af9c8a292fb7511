"""Several calls to a crowd under way at once."""

import threading
from contextlib import closing

import pytest

from judging.campaign.campaigns import pause
from judging.errors import CrowdLater
from judging.exchange.concurrent_calls import call_each
from judging.intake.places import close_places, post_places
from judging.models import Campaign, Place


@pytest.mark.parametrize("at_once", [1, 3])
def test_everything_is_done_and_every_error_comes_back(settings, at_once):
    settings.CROWD_CALLS_AT_ONCE = at_once
    done = []

    def act(number):
        if number % 4 == 0:
            raise CrowdLater(str(number))
        done.append(number)

    errors = [str(call.exception()) for call in call_each(range(10), act) if call.exception()]

    assert sorted(done) == [1, 2, 3, 5, 6, 7, 9]
    assert sorted(errors) == ["0", "4", "8"]


def test_so_many_are_under_way_at_once_and_no_more(settings):
    settings.CROWD_CALLS_AT_ONCE = 3
    together, lock, most = threading.Barrier(3), threading.Lock(), [0, 0]

    def act(_):
        with lock:
            most[0] += 1
            most[1] = max(most)
        together.wait(timeout=60)  # wait until three calls are running
        with lock:
            most[0] -= 1

    assert [call.result() for call in call_each(range(9), act)] == [None] * 9
    assert most == [0, 3]


@pytest.mark.parametrize("at_once", [1, 3])
def test_leaving_the_loop_stops_the_calls(settings, at_once):
    settings.CROWD_CALLS_AT_ONCE = at_once
    done = []
    with closing(call_each(range(1000), done.append)) as calls:
        next(calls)

    assert len(done) <= 2 * at_once


@pytest.mark.django_db(transaction=True)
def test_places_offered_at_once_are_offered_once(fair, settings):
    settings.CROWD_CALLS_AT_ONCE = 4
    campaign = fair.launched(fair.draft(pairs_per_task=1))
    fair.crowd.fail("post_place", *[CrowdLater("the reply was lost")] * 3, after=True)

    with pytest.raises(CrowdLater):
        post_places(campaign)
    post_places(campaign)

    assert len(fair.crowd.posted) == campaign.tasks.count() == 12
    offered = Place.objects.filter(state=Place.State.OPEN).values_list("crowd_id", flat=True)
    assert set(offered) == set(fair.crowd.posted)


@pytest.mark.django_db(transaction=True)
def test_places_are_closed_several_at_a_time(fair, settings, monkeypatch):
    settings.CROWD_CALLS_AT_ONCE = 3
    campaign = fair.launched(fair.draft(pairs_per_task=1))
    post_places(campaign)
    together, close = threading.Barrier(3), fair.crowd.close_place

    def close_with_others(crowd_id):
        together.wait(timeout=60)  # wait until three calls are running
        close(crowd_id)

    monkeypatch.setattr(fair.crowd, "close_place", close_with_others)
    pause(campaign)

    assert close_places(campaign) == 12
    assert fair.crowd.open_places == 0


@pytest.mark.django_db(transaction=True)
def test_closing_stops_when_the_campaign_goes_on(fair, settings):
    settings.CROWD_CALLS_AT_ONCE = 3
    campaign = fair.launched(fair.draft(pairs_per_task=1))
    post_places(campaign)
    pause(campaign)

    def resume_at_once(done, total, message=""):
        Campaign.objects.update(state=Campaign.State.OPEN)

    close_places(campaign, progress=resume_at_once)

    assert fair.crowd.open_places >= 12 - 2 * 3
