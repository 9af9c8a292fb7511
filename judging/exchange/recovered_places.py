"""Recovers places that exist at the crowd but not in our records.

The reply to an offer may be lost or still on its way, or the database may come from an older backup. Each place has
the key of its offer, so it is recorded as if the reply had come.
"""

from datetime import timedelta

from django.db.models import Max

from config import clock
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd, PostedPlace
from judging.errors import CrowdNever
from judging.exchange.calls import TOKENS_LIVE, Reply, record_found
from judging.exchange.lookup_limits import LookupLimit
from judging.models import Campaign, Place, Posting

#: Limit on lookups of places that our records lack.
UNKNOWN_PLACES = LookupLimit("unknown-places", a_minute=12)
#: Largest assumed difference between the crowd's clock and ours.
CLOCKS_DIFFER = timedelta(days=1)


def ask_for_place(campaign: Campaign, crowd_id: str) -> Place | None:
    """Look up a place that our records lack, by its id at the crowd, and record it.

    Return None if the crowd has no such place or :func:`adopt` cannot record it. Raises a CrowdError if the lookup
    fails.
    """
    UNKNOWN_PLACES.count(campaign)
    try:
        posted = crowd_for(campaign).place(crowd_id)
    except CrowdNever:
        return None
    return adopt(campaign, posted)


def adopt(campaign: Campaign, posted: PostedPlace, *, purpose: str = "") -> Place | None:
    """Record a place at the crowd and return it; None if it is not the campaign's or its posting is unclear.

    A posting missing from an older backup is recorded too if its purpose is known: from its link (``purpose``), or
    because only one purpose is possible after a launch. Safe to call concurrently.
    """
    numbers = posted.key.removeprefix(f"{campaign.call_key}-").split("-")
    if not is_ours(campaign, posted) or len(numbers) != 2 or not all(map(str.isdecimal, numbers)):
        return None
    at_crowd = campaign.postings.exclude(purpose=Posting.Purpose.TRIAL)
    posting = at_crowd.filter(number=int(numbers[0])).first()
    if posting is None:
        if not (purpose := purpose or _only_possible_purpose(campaign)):
            return None  # it can be recorded once its posting exists again
        posting, _ = campaign.postings.get_or_create(number=int(numbers[0]), defaults={"purpose": purpose})
        if posting.purpose != purpose:
            return None
    place, _ = Place.objects.get_or_create(posting=posting, number=int(numbers[1]))
    record_found(campaign=campaign, operation="post_place", key=posted.key, reply=reply_of(posted))
    Place.objects.filter(pk=place.pk, crowd_id="").update(
        state=Place.State.OPEN, crowd_id=posted.crowd_id, expires_at=posted.expires_at
    )
    place.refresh_from_db()
    return place if place.crowd_id == posted.crowd_id else None


def _only_possible_purpose(campaign: Campaign) -> str:
    """Return the only possible purpose of an unrecorded posting, or an empty string if it is unclear.

    Pilots happen only before the launch, so a posting after the launch offers the campaign's main tasks.
    """
    launched = campaign.postings.filter(purpose=Posting.Purpose.MAIN).exists()
    return Posting.Purpose.MAIN if launched else ""


def is_ours(campaign: Campaign, posted: PostedPlace) -> bool:
    """Return whether this campaign, and not another one of the account, offered this place."""
    return posted.key.startswith(f"{campaign.call_key}-")


def reply_of(posted: PostedPlace) -> Reply:
    """Return the reply that is recorded for the call that offered the place."""
    return {
        "crowd_id": posted.crowd_id,
        "expires_at": posted.expires_at.isoformat() if posted.expires_at else None,
    }


def adopt_missing(campaign: Campaign, crowd: Crowd) -> int:
    """Record every place of the campaign that the crowd lists and our records lack. Return their number."""
    known = set(Place.objects.filter(posting__campaign=campaign).values_list("crowd_id", flat=True))
    before, found = campaign.created_at - CLOCKS_DIFFER, 0
    for posted in crowd.places():
        if posted.posted_at and posted.posted_at < before:
            break  # newest first: all further places are older than the campaign
        if posted.crowd_id not in known and is_ours(campaign, posted):
            found += adopt(campaign, posted) is not None
    return found


def look_is_due(campaign: Campaign) -> bool:
    """Return whether the crowd may have places that our records lack and whose tokens it has forgotten.

    Places missing from a restored backup were offered after the last offer that it contains. If that offer is a day
    old, or if the backup contains none, the crowd may have forgotten the tokens of later offers. Offering again would
    then create duplicates.
    """
    calls = campaign.crowd_calls.filter(operation="post_place")
    last = calls.aggregate(last=Max("last_tried_at"))["last"]
    return last is None or clock.now() - last > TOKENS_LIVE
