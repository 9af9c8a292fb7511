from datetime import timedelta

import pytest
import time_machine

from config import clock
from config.background.followed_jobs import attend
from config.background.services import run_job, start
from judging.errors import CampaignRefused, CrowdLater
from judging.intake.places import close_places, post_places, want_places
from judging.jobs import close_places_key, collect_key
from judging.launch.closure import CALL_IS_OVER, close, finish_closing, pending_work
from judging.models import Campaign, Payment, Place
from judging.money.payments import pay_owed
from judging.page import session
from judging.rules.deadlines import offered_seconds


def collect_by_job(campaign: Campaign) -> None:
    """Collect as the schedule does, and close places if the collection requests it."""
    arguments = {"campaign_id": campaign.pk}
    attend(start("judging.collect", key=collect_key(campaign), arguments=arguments))
    attend(start("judging.close_places", key=close_places_key(campaign), arguments=arguments))
    attend(start("judging.collect", key=collect_key(campaign), arguments=arguments))
    campaign.refresh_from_db()


def test_draft_is_closed_at_once(fair):
    campaign = fair.draft()

    close(campaign, why="no money", who="ada")

    assert campaign.state == Campaign.State.CLOSED
    assert campaign.closed_at is not None
    assert campaign.changes.get(what="closing").why == "no money"


def test_campaign_nobody_works_on_is_closed_by_the_job(fair):
    campaign = fair.opened()

    close(campaign)
    assert (campaign.state, pending_work(campaign).offered) == ("closing", 4)
    collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSED
    assert fair.crowd.open_places == 0
    assert not Place.objects.filter(state=Place.State.OPEN).exists()
    assert [*campaign.changes.order_by("pk").values_list("what", flat=True)][-2:] == ["closing", "closed"]


def test_closing_waits_for_workers_who_hold_a_task(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    close(campaign)
    collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSING
    assert pending_work(campaign).words() == "1 task that workers hold"
    with pytest.raises(session.WorkRefused, match="closed"):
        fair.open_task(campaign, "A2", next(one for one in fair.crowd.posted.values() if not one.holder))

    fair.answer(submission)
    session.finish(submission)
    assert pending_work(campaign).unconfirmed == 1
    fair.hand_in(submission)
    collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSED
    assert fair.crowd.approvals == [submission.assignment_id]
    assert campaign.judgments.counted().count() == 3


def test_closing_waits_until_everything_is_paid(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    close(campaign)
    close_places(campaign)
    fair.crowd.fail("approve", CrowdLater("no answer"))
    with pytest.raises(CrowdLater):
        fair.collect(campaign)

    assert not finish_closing(campaign)
    assert pending_work(campaign).unpaid == 2  # the base reward, and the bonus
    pay_owed(campaign)

    assert set(Payment.objects.values_list("state", flat=True)) == {Payment.State.PAID}
    assert finish_closing(campaign)
    assert finish_closing(campaign)
    assert campaign.changes.filter(what="closed").count() == 1


def test_closing_waits_for_a_missing_worker_until_the_time_is_over(fair):
    campaign = fair.opened()
    fair.open_task(campaign, "A1")
    close(campaign)
    collect_by_job(campaign)
    assert campaign.state == Campaign.State.CLOSING

    with time_machine.travel(
        clock.now() + timedelta(seconds=offered_seconds(campaign.assignment_seconds), minutes=16)
    ):
        collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSED


def test_campaign_stays_closing_while_its_list_cannot_be_read(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    close(campaign)
    close_places(campaign)

    with time_machine.travel(
        clock.now() + timedelta(seconds=offered_seconds(campaign.assignment_seconds), minutes=16)
    ):
        fair.crowd.fail("places", CrowdLater("The crowd does not answer."))
        run_job(start("judging.collect", key="away", arguments={"campaign_id": campaign.pk}).pk)
        campaign.refresh_from_db()
        assert (campaign.state, bool(pending_work(campaign))) == (Campaign.State.CLOSING, False)
        collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSED
    assert campaign.judgments.counted().count() == 3
    assert set(Payment.objects.values_list("state", flat=True)) == {Payment.State.PAID}


def test_offer_whose_reply_was_lost_is_found_and_taken_down(fair):
    campaign = fair.draft()
    launch_with_a_lost_reply(fair, campaign)
    close(campaign)
    collect_by_job(campaign)
    assert pending_work(campaign).offered == 1  # the offer may still be under way

    with time_machine.travel(clock.now() + CALL_IS_OVER):
        collect_by_job(campaign)
        collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSED
    assert fair.crowd.open_places == 0


def test_offer_that_never_arrived_is_given_up(fair):
    campaign = fair.draft()
    launch_with_a_lost_reply(fair, campaign, after=False)
    close(campaign)

    with time_machine.travel(clock.now() + CALL_IS_OVER):
        collect_by_job(campaign)
        collect_by_job(campaign)

    assert campaign.state == Campaign.State.CLOSED
    assert Place.objects.filter(state=Place.State.GONE).count() == 4


def launch_with_a_lost_reply(fair, campaign, *, after=True):
    from judging.launch.launches import launch_campaign

    launch_campaign(campaign)
    fair.crowd.fail("post_place", CrowdLater("no answer"), after=after)
    with pytest.raises(CrowdLater):
        post_places(campaign)
    assert Place.objects.filter(state=Place.State.WANTED).count() == 1


def test_ended_places_are_neither_ended_again_nor_offered(fair):
    campaign = fair.opened()
    close(campaign)

    with pytest.raises(CampaignRefused, match="cannot become closing"):
        close(campaign)
    assert want_places(campaign) == 0
