"""Judging's background work: each body is one service call and may run twice."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime
from typing import Any

from config import clock
from config.background.registry import Progress, job_kind
from config.background.services import TryLater, start
from config.sweep import Sweep
from judging.errors import CrowdError, CrowdLater, CrowdMoney, CrowdNever
from judging.models import Campaign, Worker, WorkerMessage
from judging.services import (
    blocking,
    closing,
    collecting,
    gold_proposals,
    holding,
    notices,
    payments,
    piloting,
    places,
    reapplying,
    rejecting,
    rights,
    suspending,
    watchdog,
)
from judging.services.calls import Patience, got_through
from judging.services.messages import send_message

log = logging.getLogger(__name__)
#: The wait after a first failure that trying again can help; while nothing gets through it doubles up to the longest.
LATER_SECONDS = 5
LONGEST_LATER_SECONDS = 300
MONEY_SECONDS = 600


def post_places_key(campaign: Campaign) -> str:
    """One live job offers a campaign's places."""
    return f"judging.post_places:{campaign.pk}"


def collect_key(campaign: Campaign) -> str:
    """One live job collects for a campaign."""
    return f"judging.collect:{campaign.pk}"


def close_places_key(campaign: Campaign) -> str:
    """One live job takes a campaign's places off the crowd."""
    return f"judging.close_places:{campaign.pk}"


@job_kind("judging.post_places", words="offering places")
def post_places(*, progress: Progress, campaign_id: int) -> dict[str, Any]:
    """Offer the places that are wanted."""
    campaign, began = Campaign.objects.get(pk=campaign_id), clock.now()
    try:
        return {"posted": places.post_places(campaign, progress=progress)}
    except CrowdError as error:
        raise _later(error, campaign, began) from error


@job_kind("judging.collect", words="collecting work")
def collect(*, progress: Progress, campaign_id: int, sweep: bool = False) -> dict[str, Any]:
    """Collect, pay what is owed, and ring for the places that are wanted now."""
    campaign, patience, began = Campaign.objects.get(pk=campaign_id), Patience(), clock.now()
    result: dict[str, Any] = {}
    try:
        with patience.one():
            sweep = sweep or campaign.state == Campaign.State.CLOSING
            suspending.suspend_suspicious(campaign)
            collected = collecting.collect(campaign, progress=progress, sweep=sweep)
            result |= {"submissions": collected.submissions, "places_wanted": collected.places_wanted}
        with patience.one():
            rejecting.carry_out_rejections(campaign)
        with patience.one():
            holding.note_paid_by_the_crowd(campaign)
        with patience.one():
            result |= {"paid": payments.pay_owed(campaign, progress=progress)}
        if places.any_wanted(campaign):
            start(
                "judging.post_places", key=post_places_key(campaign), arguments={"campaign_id": campaign.pk}
            )
        with patience.one():
            blocking.sync_blocks(campaign)
        with patience.one():
            blocking.hide_from_finished(campaign)
        with patience.one():
            notices.tell_workers(campaign)
        with patience.one():
            _move_on(campaign)
        patience.done()
    except CrowdError as error:
        raise _later(error, campaign, began) from error
    return result


def _move_on(campaign: Campaign) -> None:
    """What a campaign does by itself once everything there is has been taken in."""
    piloting.finish_pilot(campaign)
    if campaign.state == Campaign.State.CLOSING:
        closing.settle_tried_places(campaign)
        closing.finish_closing(campaign)
    if campaign.state not in Campaign.OFFERING and places.any_offered(campaign):
        start("judging.close_places", key=close_places_key(campaign), arguments={"campaign_id": campaign.pk})


@job_kind("judging.close_places", words="taking places down")
def close_places(*, progress: Progress, campaign_id: int) -> dict[str, Any]:
    """Take a paused or closed campaign's places off the crowd."""
    campaign, began = Campaign.objects.get(pk=campaign_id), clock.now()
    try:
        return {"closed": places.close_places(campaign, progress=progress)}
    except CrowdError as error:
        raise _later(error, campaign, began) from error


@job_kind("judging.deliver", words="telling the crowd what was decided")
def deliver(*, campaign_id: int, message: int, workers: list[int], **_: Any) -> dict[str, Any]:
    """Send workers a message that was kept for them; the rows say why it did not reach somebody."""
    campaign, began = Campaign.objects.get(pk=campaign_id), clock.now()
    kept = WorkerMessage.objects.get(pk=message, campaign=campaign)
    people = list(Worker.objects.filter(pk__in=workers).order_by("pk"))
    words = {"subject": kept.subject, "text": kept.text}
    try:
        with suppress(CrowdNever):  # the rows say so
            send_message(campaign, people, who=kept.who, **words)
    except CrowdError as error:
        raise _later(error, campaign, began) from error
    sent = WorkerMessage.objects.filter(campaign=campaign, worker__in=people, sent_at__isnull=False, **words)
    return {"sent": sent.count(), "workers": len(people)}


def propose_gold_key(campaign: Campaign) -> str:
    """One live job proposes a campaign's gold pairs."""
    return f"judging.propose_gold:{campaign.pk}"


@job_kind("judging.propose_gold", words="proposing test pairs")
def propose_gold(*, progress: Progress, campaign_id: int, qrels: str = "") -> dict[str, Any]:
    """Propose gold pairs until there are enough; run again, it adds none."""
    progress(0, 1, "Looking for test pairs")
    return {"proposed": gold_proposals.propose_gold(Campaign.objects.get(pk=campaign_id), qrels=qrels)}


@job_kind("judging.collect_open_campaigns")
def collect_open_campaigns(**_: Any) -> dict[str, Any]:
    """Start a collection for every campaign that workers may be at work on, or are still owed by."""
    campaigns = collecting.campaigns_to_collect()
    for campaign in campaigns:
        start("judging.collect", key=collect_key(campaign), arguments={"campaign_id": campaign.pk})
    return {"campaigns": len(campaigns)}


@job_kind("judging.retention")
def retain(**_: Any) -> dict[str, Any]:
    """Erase what was kept as long as the settings say, and what a restored backup brought back."""
    done: dict[str, Any] = {}
    sweep = Sweep("Retention")
    with sweep.step("what was kept long enough"):
        done |= rights.enforce_retention()
    with sweep.step("what a backup brought back"):
        done["done_again"] = reapplying.reapply_rights().applied
    sweep.end()
    return done


@job_kind("judging.watchdog")
def watch(**_: Any) -> dict[str, Any]:
    """Name what has not moved within its time, for every campaign that is under way; a line in the log for each."""
    found = {campaign.name: watchdog.stalled(campaign) for campaign in watchdog.watched_campaigns()}
    for name, things in found.items():
        for thing in things:
            log.warning("campaign %s: %s", name, thing.words())
    return {name: [thing.as_dict() for thing in things] for name, things in found.items() if things}


def _later(error: CrowdError, campaign: Campaign, began: datetime) -> Exception:
    """What can help by itself is tried later; the rest is a named failure with its next step."""
    if isinstance(error, CrowdLater):
        got_on = got_through(campaign, began)
        return TryLater(error.message, seconds=LATER_SECONDS, longest=LONGEST_LATER_SECONDS, got_on=got_on)
    if isinstance(error, CrowdMoney):
        return TryLater(f"{error.message} {error.next_step}", seconds=MONEY_SECONDS)
    return error
