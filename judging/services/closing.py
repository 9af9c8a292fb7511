"""The end of a campaign: nothing more is offered, what is under way is waited for, then it is closed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from config import clock
from config.background import events
from config.plurals import many
from judging.crowds import crowd_for
from judging.crowds.seam import Crowd
from judging.deadlines import GRACE, offered_seconds
from judging.models import Campaign, CrowdCall, Judgment, Payment, Place, Submission, Task
from judging.services.calls import Patience
from judging.services.campaigns import log, move
from judging.services.places import place_key
from judging.services.reserving import settle, take_turn

#: The event: a campaign that was launched is closed, and nothing of it is pending.
CAMPAIGN_FINISHED = "campaign.finished"
#: Longer than any call to a crowd takes, and than a crowd's list lags behind.
CALL_IS_OVER = timedelta(minutes=10)


@dataclass(frozen=True)
class Pending:
    """What a closing campaign waits for, in numbers.

    ``offered``: places the crowd still offers; ``held``: tasks that workers hold; ``unconfirmed``: sent off from
    our page and not yet in the crowd's list, or not screened; ``unpaid``: payments that are owed; ``undecided``:
    those held for a person.
    """

    offered: int
    held: int
    unconfirmed: int
    unpaid: int
    undecided: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def words(self) -> str:
        """The same for people; empty when nothing is pending."""
        names = {
            "offered": ("place that the crowd still offers", "places that the crowd still offers"),
            "held": ("task that workers hold", "tasks that workers hold"),
            "unconfirmed": (
                "submission that the crowd has not confirmed",
                "submissions that the crowd has not confirmed",
            ),
            "unpaid": ("payment that is owed", "payments that are owed"),
            "undecided": ("payment held for your decision", "payments held for your decision"),
        }
        return ", ".join(many(count, *names[name]) for name, count in asdict(self).items() if count)


def close(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """End the campaign: nothing is offered from now on. It is closed by itself when nothing is pending any more.

    What was never offered is closed at once. Raises CampaignRefused when it was ended before.
    """
    allowed = [state for state in Campaign.State if state not in Campaign.OVER]
    move(campaign, Campaign.State.CLOSING, allowed=allowed, why=why, who=who)
    if campaign.launched_at is None:
        finish_closing(campaign)


def pending_work(campaign: Campaign) -> Pending:
    """What is still to come in or to be paid."""
    now = clock.now()
    live = _places_in_use(campaign, now)
    wanted = Q(state=Place.State.WANTED)
    not_expired = Q(state=Place.State.OPEN) & (Q(expires_at=None) | Q(expires_at__gt=now))
    work = Submission.objects.filter(campaign=campaign)
    sent_off = work.filter(state=Submission.State.FINISHED, held_task__isnull=False)
    unscreened = work.filter(state=Submission.State.SUBMITTED, standing=Submission.Standing.PENDING)
    payments = Payment.objects.filter(submission__campaign=campaign)
    return Pending(
        offered=live.filter(wanted | not_expired).count(),
        held=live.exclude(wanted | not_expired).count(),
        unconfirmed=sent_off.count() + unscreened.count(),
        unpaid=payments.filter(state=Payment.State.OWED).count(),
        undecided=payments.filter(state=Payment.State.HELD).count(),
    )


def _places_in_use(campaign: Campaign, now: datetime) -> QuerySet[Place]:
    """Places on which work may still come in: until the last one who could have taken it has run out of time."""
    over = now - timedelta(seconds=offered_seconds(campaign.assignment_seconds)) - GRACE
    live = Place.objects.filter(posting__campaign=campaign, state__in=[Place.State.WANTED, Place.State.OPEN])
    return live.exclude(state=Place.State.OPEN, expires_at__lte=over)


def finish_closing(campaign: Campaign) -> bool:
    """Close a closing campaign for which nothing is pending; whether it is closed now. Safe to repeat.

    Call it after a collection with a sweep: the crowd's list says which places nobody holds.
    """
    campaign.refresh_from_db()
    if campaign.state != Campaign.State.CLOSING or pending_work(campaign):
        return campaign.state == Campaign.State.CLOSED
    now = clock.now()
    with transaction.atomic():
        take_turn()
        closing = Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSING)
        if closing.update(state=Campaign.State.CLOSED, closed_at=now):
            log(campaign, Campaign.State.CLOSED, why="nothing was pending any more")
            # Nobody can hold these any more: no sweep needs to look for them.
            Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN).update(
                state=Place.State.GONE
            )
            settle(campaign)
            _record_end(campaign)
    campaign.refresh_from_db()
    return True


def _record_end(campaign: Campaign) -> None:
    """Keep that a campaign is finished; one that nobody was ever asked in, or a rehearsal, only goes away."""
    if campaign.launched_at is None or campaign.rehearsal_of_id is not None:
        return
    facts = {
        "campaign": campaign.name,
        "judgments": Judgment.objects.filter(campaign=campaign).counted().count(),
        "tasks": campaign.tasks.count(),
        "tasks_done": campaign.tasks.filter(state=Task.State.DONE).count(),
    }
    events.record(CAMPAIGN_FINISHED, collection_id=campaign.collection_id, facts=facts)


def settle_tried_places(campaign: Campaign) -> int:
    """Find out what became of places whose offer was tried and not answered; returns how many were settled.

    A campaign that ends tries no offer again, so a place that the crowd's list has is open (and is closed by the next
    closing of places), and one that it does not have was never made.
    """
    crowd, patience, settled = crowd_for(campaign), Patience(), 0
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED)
    for place in wanted.select_related("posting"):
        call = CrowdCall.objects.filter(key=place_key(campaign, place)).first()
        if call and call.last_tried_at and clock.now() - call.last_tried_at < CALL_IS_OVER:
            continue  # it may still be under way
        with patience.one():
            _settle_tried_place(crowd, place, call)
            settled += 1
    patience.done()
    return settled


def _settle_tried_place(crowd: Crowd, place: Place, call: CrowdCall | None) -> None:
    found = crowd.find_place(call.key) if call and call.attempts else None
    changes = (
        {"state": Place.State.OPEN, "crowd_id": found.crowd_id, "expires_at": found.expires_at}
        if found
        else {"state": Place.State.GONE}
    )
    Place.objects.filter(pk=place.pk, state=Place.State.WANTED).update(**changes)
