"""A thousand places at a crowd that allows a few calls per second: posted, expired and collected."""

from contextlib import closing
from decimal import Decimal

import pytest

from config.process import launcher
from judging import crowds
from judging.campaign.campaigns import pause
from judging.crowds import mturk
from judging.crowds.limiter import ThreadLimiter
from judging.crowds.mturk import MTurk
from judging.errors import CrowdLater
from judging.intake.collection import collect
from judging.intake.places import close_places, post_places
from judging.models import Place, Submission
from tests.judging.cast import Fair
from tests.judging.throttling_crowd import Clock, ThrottlingCrowd

AT_ONCE = 4
STATED = 5  # the allowed calls per second, as far as we know


@pytest.fixture
def slow(crowd, settings, monkeypatch):
    """The fake panel behind the protocol and its limiter. A test sets how many calls per second it really allows."""
    settings.SPENDING_CAP = 0  # a thousand tasks exceed the default cap
    settings.CROWD_CALLS_PER_SECOND = STATED
    settings.CROWD_CALLS_AT_ONCE = AT_ONCE
    clock = Clock()
    pace = ThreadLimiter(now=clock.now, sleep=clock.sleep)
    monkeypatch.setattr(mturk, "limiter", lambda: pace)
    monkeypatch.setattr(launcher, "crowd_keys", lambda: ("AKIDAAAAAAAAAAAAAAAA", "s"))
    with closing(ThrottlingCrowd(crowd, clock, rate=STATED, burst=AT_ONCE)) as served:
        monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: MTurk(served.url))
        yield served


def until_done(work, *, tries):
    """Repeat a job like the schedule does while the crowd postpones it. Returns how often it was postponed."""
    for later in range(tries):
        try:
            work()
        except CrowdLater:
            continue
        return later
    raise AssertionError(f"not done after {tries} tries")


def opened(crowd, places: int):
    fair = Fair(crowd, queries=places, passages=2)
    return fair, fair.launched(fair.draft(pairs_per_task=1, budget=Decimal(10_000)))


def offered_expired_collected(slow, places: int, workers: int):
    fair, campaign = opened(slow.panel, places)
    begun = slow.clock.now()

    later = until_done(lambda: post_places(campaign), tries=50)
    assert slow.answered["CreateHITWithHITType"] == len(slow.panel.posted) == places
    for number in range(workers):
        fair.do_task(campaign, f"A{number}")
    pause(campaign)
    later += until_done(lambda: close_places(campaign), tries=50)
    until_done(lambda: collect(campaign, sweep=True), tries=50)

    assert slow.answered["UpdateExpirationForHIT"] == places
    assert not any(place.seen().open for place in slow.panel.posted.values())
    counted = Submission.objects.filter(campaign=campaign, standing=Submission.Standing.COUNTED)
    assert counted.count() == workers
    assert not Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN).exists()
    return later, slow.clock.now() - begun


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_a_thousand_places_at_the_rate_that_the_crowd_allows(slow):
    later, seconds = offered_expired_collected(slow, 1000, 25)

    assert (later, slow.refused) == (0, {})
    assert seconds >= (slow.answered.total() - AT_ONCE) / STATED
    assert slow.answered.total() < 2 * 1000 + 25 + 50  # the sweep reads a hundred places at a time


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_a_crowd_that_allows_less_than_it_states_is_not_run_into(slow):
    slow.rate = STATED / 2

    offered_expired_collected(slow, 1000, 25)

    assert 0 < slow.refused.total() < slow.answered.total() / 10
