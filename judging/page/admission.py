"""Checks before an arriving worker gets a task: remaining gold pairs, arrival rate, place and crowd session."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings

from config import clock
from config.errors import Refusal
from config.prepared_queries import Prepared
from config.rate_limits import Limit
from judging.crowds import crowd_for
from judging.crowds.interface import Arrival
from judging.errors import WorkRefused
from judging.exchange.lookup_limits import LookupLimit
from judging.exchange.recovered_places import ask_for_place
from judging.models import Campaign, Place, Posting, Submission, Worker
from judging.tasks.displacement import untouched
from judging.tasks.lease_ends import end_submission
from judging.tasks.worker_memory import Past, past_of
from judging.workers.work_history import Work

#: Limit on lookups of sessions that turn out to be unknown to the crowd, per minute.
UNKNOWN_SESSIONS = LookupLimit("unknown-sessions", a_minute=60)
#: For crowds that do not sign arrivals: the maximum number of new worker ids from one network at one place, within
#: this many seconds. It is above one because a returned place can go to somebody on the same network.
ARRIVALS_AT_PLACE, ARRIVALS_SECONDS = 5, 600


def past_with_gold(campaign: Campaign, worker: Worker | None, *, beside: Submission | None = None) -> Past:
    """Return the worker's history in the campaign; for None, an empty history.

    If too few gold pairs are left for another task, the worker's tasks without choices
    (:func:`judging.tasks.displacement.untouched`) are released first, until enough are left. ``beside`` is never
    released.
    """
    past = past_of(campaign, worker.pk if worker else None)
    if worker is None or past.gold_is_left():
        return past
    for submission in untouched(campaign, worker):
        if submission != beside and end_submission(submission, Submission.State.RETURNED):
            past = past_of(campaign, worker.pk)
            if past.gold_is_left():
                break
    return past


def limits(campaign: Campaign, arrival: Arrival, network: str) -> list[tuple[Limit, str]]:
    """Return the limits on how many new worker ids can come from one network, each with its counter's key.

    One limit is per place, the other per campaign. There are none for signed arrivals, for unknown networks, at
    crowds whose URLs name no place, or if ``ARRIVALS_PER_NETWORK`` is 0.
    """
    if not (
        network and arrival.place_crowd_id and arrival.taken_at is None and settings.ARRIVALS_PER_NETWORK
    ):
        return []
    who = f"{network} {campaign.call_key}"
    here = Limit("arrivals-at-place", ARRIVALS_AT_PLACE, ARRIVALS_SECONDS)
    all_places = Limit("arrivals", settings.ARRIVALS_PER_NETWORK, ARRIVALS_SECONDS)
    return [(here, f"{who} {arrival.place_crowd_id}"), (all_places, who)]


def leave_earlier(posting: Posting, work: Iterable[Work], taken_at: datetime) -> bool:
    """Release the tasks of this posting that the worker took before ``taken_at``; return whether there were any.

    At crowds that sign arrivals, a worker has only one task of a posting at a time.
    """
    now = clock.now()
    held = [
        one.pk
        for one in work
        if one.state == Submission.State.HELD and one.posting_id == posting.pk
        if one.taken_at and one.taken_at < taken_at and one.ends_at and one.ends_at > now
    ]
    for submission in Submission.objects.filter(pk__in=held) if held else ():
        end_submission(submission, Submission.State.RETURNED)
    return bool(held)


_PLACE = Prepared(
    lambda campaign, name: (
        Place.objects.filter(posting__campaign=campaign, crowd_id=name)
        .select_related("posting")
        .order_by("pk")
    ),
    words=(1,),
)


def place_of(campaign: Campaign, arrival: Arrival) -> Place | None:
    """Return the place that the arrival's URL names, or None at a crowd whose URLs name no place.

    An unknown place can still be ours if the crowd's reply to its posting was lost, so the crowd is asked. Without
    this check, requests with made-up ids could take every task. Raises WorkRefused if the place cannot be confirmed.
    """
    if not arrival.place_crowd_id:
        check_session(campaign, arrival)
        return None
    known = _PLACE.first(campaign.pk, arrival.place_crowd_id)
    if known is not None:
        return known
    try:
        found = ask_for_place(campaign, arrival.place_crowd_id)
    except Refusal:  # the crowd does not respond, or this process has no key for it
        raise WorkRefused("not-ready") from None
    if found is None:
        raise WorkRefused("unknown-link")
    return found


def check_session(campaign: Campaign, arrival: Arrival) -> None:
    """Raise WorkRefused unless the crowd confirms this worker's session.

    This is for crowds whose URLs name no place. Without this check, made-up sessions could hold every task until it
    times out. Lookups of unknown sessions are limited, so that they cannot use up the calls needed for payments.
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
