"""Places that the crowd has and we keep no record of.

The reply to their offer was lost or is under way; or the database was put back from a backup that is older than they
are. Each carries the key it was offered under, so it is recorded as if the reply had come.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Max

from config import clock
from judging.crowds import crowd_for
from judging.crowds.seam import Crowd, PostedPlace
from judging.errors import CrowdNever
from judging.models import Campaign, Place, Posting
from judging.services.asking import Questions
from judging.services.calls import TOKENS_LIVE, Reply, campaign_key, record_found

#: Places that we do not know.
UNKNOWN_PLACES = Questions("unknown-places", a_minute=12)
#: The crowd's clock and ours may differ by less than this.
CLOCKS_DIFFER = timedelta(days=1)


def ask_for_place(campaign: Campaign, crowd_id: str) -> Place | None:
    """The campaign's place with a crowd's id that we have not recorded; None when the crowd has no such place of it.

    Raises a CrowdError when that cannot be told now.
    """
    UNKNOWN_PLACES.count(campaign)
    try:
        posted = crowd_for(campaign).place(crowd_id)
    except CrowdNever:
        return None
    return adopt(campaign, posted)


def adopt(campaign: Campaign, posted: PostedPlace, *, purpose: str = "") -> Place | None:
    """Record a place of the crowd's that is the campaign's by its key; None when it is not. Safe to race.

    A posting that is not on record (the backup is older) is recorded with it, when it is known what it was for: from
    its link (``purpose``), or because after a launch there is only one kind.
    """
    numbers = posted.key.removeprefix(f"{campaign_key(campaign)}-").split("-")
    if not is_ours(campaign, posted) or len(numbers) != 2 or not all(map(str.isdecimal, numbers)):
        return None
    at_crowd = campaign.postings.exclude(purpose=Posting.Purpose.TRIAL)
    posting = at_crowd.filter(number=int(numbers[0])).first()
    if posting is None:
        if not (purpose := purpose or _purpose_now(campaign)):
            return None  # it is ours once its posting is made again
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


def _purpose_now(campaign: Campaign) -> str:
    """What a posting that is not on record can only be for; empty when that cannot be told.

    A pilot comes before the launch alone, so whatever was offered to a crowd after it belongs to the main run.
    """
    launched = campaign.postings.filter(purpose=Posting.Purpose.MAIN).exists()
    return Posting.Purpose.MAIN if launched else ""


def is_ours(campaign: Campaign, posted: PostedPlace) -> bool:
    """Whether a place of the account's was offered by this campaign."""
    return posted.key.startswith(f"{campaign_key(campaign)}-")


def reply_of(posted: PostedPlace) -> Reply:
    """What is recorded of a place that was offered."""
    return {
        "crowd_id": posted.crowd_id,
        "expires_at": posted.expires_at.isoformat() if posted.expires_at else None,
    }


def adopt_missing(campaign: Campaign, crowd: Crowd) -> int:
    """Record every place of the campaign that the crowd's list has and we do not; returns how many."""
    known = set(Place.objects.filter(posting__campaign=campaign).values_list("crowd_id", flat=True))
    before, found = campaign.created_at - CLOCKS_DIFFER, 0
    for posted in crowd.places():
        if posted.posted_at and posted.posted_at < before:
            break  # newest first: the rest is older than the campaign
        if posted.crowd_id not in known and is_ours(campaign, posted):
            found += adopt(campaign, posted) is not None
    return found


def look_is_due(campaign: Campaign) -> bool:
    """Whether places may have been offered that neither our records nor the crowd's memory of tokens know.

    What a restored backup does not know was offered after the last offer that it knows. Is that one a day old, or is
    there none, then the tokens of the others may be forgotten, and offering them again would make them twice.
    """
    calls = campaign.crowd_calls.filter(operation="post_place")
    last = calls.aggregate(last=Max("last_tried_at"))["last"]
    return last is None or clock.now() - last > TOKENS_LIVE
