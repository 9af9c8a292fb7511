"""What is looked at before somebody who arrives gets a task: gold, pace, the place, and who had it before."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from config import clock
from config.counting import Limit
from config.errors import Refusal
from judging.crowds import crowd_for
from judging.crowds.seam import Arrival
from judging.errors import WorkRefused
from judging.models import Campaign, Place, Posting, Submission, Worker
from judging.services.adopting import ask_for_place
from judging.services.asking import Questions
from judging.services.displacing import untouched
from judging.services.gold_drawing import gold_is_left
from judging.services.leasing import free_task, release

#: Sessions that the crowd did not know; when so many came in a minute, no more are asked for.
UNKNOWN_SESSIONS = Questions("unknown-sessions", a_minute=60)
#: Where the crowd does not sign who arrives: new names from one network at one place, in so many seconds. A place
#: that is returned goes to the next one, who may sit in the same room.
ARRIVALS_AT_PLACE, ARRIVALS_SECONDS = 5, 600


def has_gold(campaign: Campaign, worker: Worker | None, *, beside: Submission | None = None) -> bool:
    """Whether there is gold for one more task of this worker.

    If not, tasks without a choice that were opened in the worker's name give theirs back, ``beside`` this one.
    """
    if worker is None:
        return gold_is_left(campaign, None)
    if gold_is_left(campaign, worker.pk):
        return True
    for submission in untouched(campaign, worker):
        gave_back = submission != beside and release(submission, Submission.State.RETURNED)
        if gave_back and gold_is_left(campaign, worker.pk):
            return True
    return False


def limits(campaign: Campaign, arrival: Arrival, network: str) -> list[tuple[Limit, str]]:
    """What bounds the new names from one network at this place and in the campaign, where nobody vouches for them."""
    if not (
        network and arrival.place_crowd_id and arrival.taken_at is None and settings.ARRIVALS_PER_NETWORK
    ):
        return []
    # Row numbers come again in a database that was put back: the campaign's time tells it from its namesake.
    who = f"{network} {campaign.pk} {campaign.created_at.timestamp()}"
    here = Limit("arrivals-at-place", ARRIVALS_AT_PLACE, ARRIVALS_SECONDS)
    all_places = Limit("arrivals", settings.ARRIVALS_PER_NETWORK, ARRIVALS_SECONDS)
    return [(here, f"{who} {arrival.place_crowd_id}"), (all_places, who)]


def hand_over(place: Place, assignment_id: str, taken_at: datetime) -> None:
    """End what was held at a place before this assignment was taken there, as the crowd signed: its holder has left.

    What was sent off here stays on record, its worker having a receipt; but its task is for others, for the crowd
    takes in nothing of a former holder's. Raises WorkRefused when the place went to somebody else since: the address
    is one that a former holder kept.
    """
    here = Submission.objects.filter(place=place).exclude(assignment_id=assignment_id)
    if here.filter(taken_at__gt=taken_at).exists():
        raise WorkRefused("returned")
    for submission in here.filter(state=Submission.State.HELD):
        release(submission, Submission.State.RETURNED)
    for submission in here.filter(state=Submission.State.FINISHED, taken_at__lt=taken_at):
        free_task(submission)


def leave_earlier(posting: Posting, worker: Worker, taken_at: datetime) -> None:
    """End what this worker held of the posting before: a crowd that signs gives out one task of a kind at a time."""
    mine = Submission.objects.filter(worker=worker, place__posting=posting, taken_at__lt=taken_at)
    for submission in mine.filter(state=Submission.State.HELD, ends_at__gt=clock.now()):
        release(submission, Submission.State.RETURNED)


def place_of(campaign: Campaign, arrival: Arrival) -> Place | None:
    """The place that the address names; None at a crowd whose addresses name none.

    One that we do not know may be ours all the same: the reply to its offer was lost. The crowd is asked, for were
    every made-up name given a task, they would soon have them all.
    """
    if not arrival.place_crowd_id:
        check_session(campaign, arrival)
        return None
    known = Place.objects.filter(posting__campaign=campaign, crowd_id=arrival.place_crowd_id).first()
    if known is not None:
        return known
    try:
        found = ask_for_place(campaign, arrival.place_crowd_id)
    except Refusal:  # the crowd does not answer now, or this process has no key for it
        raise WorkRefused("not-ready") from None
    if found is None:
        raise WorkRefused("unknown-link")
    return found


def check_session(campaign: Campaign, arrival: Arrival) -> None:
    """At a crowd whose addresses name no place: raises WorkRefused unless the crowd knows who arrived, as they say.

    Else made-up sessions could hold every task until their time is over. Only answers that were no are counted: who
    makes sessions up uses up the questions of a minute, not the tasks, and not the calls that paying needs.
    """
    if UNKNOWN_SESSIONS.used_up(campaign):
        raise WorkRefused("not-ready")
    try:
        known = crowd_for(campaign).is_at_work(arrival.assignment_id, arrival.crowd_worker_id)
        if not known:
            UNKNOWN_SESSIONS.count(campaign)
    except Refusal:
        raise WorkRefused("not-ready") from None
    if not known:
        raise WorkRefused("unknown-link")
