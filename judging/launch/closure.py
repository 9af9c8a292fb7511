"""Close a campaign: stop posting, wait for work in progress, then mark it as closed."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from config import clock
from config.background import events
from config.plurals import many
from judging.campaign.campaigns import log_change, move
from judging.campaign.reservations import settle_reservations, take_turn
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd
from judging.exchange.calls import Patience
from judging.intake.places import place_key
from judging.models import Campaign, CrowdCall, Judgment, Payment, Place, Submission, Task
from judging.rules.deadlines import GRACE, offered_seconds

#: The event that is recorded when a launched campaign becomes closed.
CAMPAIGN_FINISHED = "campaign.finished"
#: The time after which a call to a crowd has certainly ended, and its effect shows in the crowd's list.
CALL_IS_OVER = timedelta(minutes=10)


@dataclass(frozen=True)
class Pending:
    """Counts of the items that a closing campaign waits for.

    - ``offered``: places that the crowd still offers
    - ``held``: tasks that workers may still hold
    - ``unconfirmed``: submissions that are not in the crowd's list yet, or not screened
    - ``unpaid``: payments owed
    - ``undecided``: payments that wait for a person's decision
    """

    offered: int
    held: int
    unconfirmed: int
    unpaid: int
    undecided: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def words(self) -> str:
        """Return the counts as text; empty if nothing is pending."""
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
    """Begin to close the campaign: nothing more is posted, and it becomes closed once nothing is pending.

    A campaign that was never launched becomes closed at once. Raises CampaignRefused if the campaign is archived, or
    already closing or closed.
    """
    allowed = [state for state in Campaign.State if state not in Campaign.OVER]
    move(campaign, Campaign.State.CLOSING, allowed=allowed, why=why, who=who)
    if campaign.launched_at is None:
        finish_closing(campaign)


def pending_work(campaign: Campaign) -> Pending:
    """Count the places, submissions and payments that keep the campaign from being closed."""
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
    """Return places on which work can still come in.

    This includes expired places: a worker who took one just before it expired can still have time.
    """
    over = now - timedelta(seconds=offered_seconds(campaign.assignment_seconds)) - GRACE
    live = Place.objects.filter(posting__campaign=campaign, state__in=Place.LIVE)
    return live.exclude(state=Place.State.OPEN, expires_at__lte=over)


def finish_closing(campaign: Campaign) -> bool:
    """Close a closing campaign if nothing is pending; return whether it is closed now. Safe to repeat.

    Call it after a collection that swept the crowd's list without failures. Only a sweep shows which places nobody
    holds, and collects work from places whose time is over.
    """
    campaign.refresh_from_db()
    if campaign.state != Campaign.State.CLOSING or pending_work(campaign):
        return campaign.state == Campaign.State.CLOSED
    now = clock.now()
    with transaction.atomic():
        take_turn()
        closing = Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSING)
        if closing.update(state=Campaign.State.CLOSED, closed_at=now):
            log_change(campaign, Campaign.State.CLOSED, why="nothing was pending anymore")
            # Nobody can hold these anymore, so no sweep needs to check them.
            Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN).update(
                state=Place.State.GONE
            )
            settle_reservations(campaign)
            _record_end(campaign)
    campaign.refresh_from_db()
    return True


def _record_end(campaign: Campaign) -> None:
    """Record :data:`CAMPAIGN_FINISHED`, unless the campaign was never launched or is a rehearsal."""
    if campaign.launched_at is None or campaign.rehearsal_of_id is not None:
        return
    facts = {
        "campaign": campaign.name,
        "judgments": Judgment.objects.filter(campaign=campaign).counted().count(),
        "tasks": campaign.tasks.count(),
        "tasks_done": campaign.tasks.filter(state=Task.State.DONE).count(),
    }
    events.record_event(CAMPAIGN_FINISHED, collection_id=campaign.collection_id, facts=facts)


def settle_tried_places(campaign: Campaign) -> int:
    """Look up at the crowd whether places still marked as wanted were posted; return the number of places settled.

    A closing campaign does not repeat a call that got no reply. A place that the crowd has is marked as open, and is
    closed with the others the next time. Any other place is marked as gone.
    """
    crowd, patience, settled = crowd_for(campaign), Patience(), 0
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED)
    for place in wanted.select_related("posting"):
        call = CrowdCall.objects.filter(key=place_key(campaign, place)).first()
        if call and call.last_tried_at and clock.now() - call.last_tried_at < CALL_IS_OVER:
            continue  # it might still be running
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
