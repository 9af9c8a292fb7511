"""Where the address of a posting leads: also one that was made after the backup that the database was put back from.

The address is signed, so whatever it says was said by us; that the posting is still offered is for the crowd to say.
"""

from __future__ import annotations

from config.errors import Refusal
from judging.crowds import crowd_for
from judging.crowds.seam import Arrival
from judging.errors import CrowdNever, WorkRefused
from judging.models import Campaign, Posting
from judging.services.admitting import check_session
from judging.services.adopting import UNKNOWN_PLACES, adopt
from judging.services.calls import campaign_key
from judging.tokens import Link


def campaign_of(link: Link) -> Campaign:
    """The campaign that the link was made for; raises WorkRefused when there is none (any more)."""
    campaign = Campaign.objects.filter(pk=link.campaign_id).first()
    if campaign is None or link.campaign_key not in ("", campaign_key(campaign)):
        raise WorkRefused("unknown-link")
    return campaign


def posting_behind(campaign: Campaign, link: Link, arrival: Arrival) -> Posting:
    """The posting that the link was made for. One that no record knows is recorded when the crowd knows it.

    Raises WorkRefused when there is none, or when the crowd cannot be asked now.
    """
    if link.posting_id:
        known = campaign.postings.filter(pk=link.posting_id).first()
    else:
        known = campaign.postings.filter(number=link.number).first()
    if known is None and link.number and _crowd_knows(campaign, link, arrival):
        return campaign.postings.get(number=link.number)
    if known is None or link.purpose not in ("", known.purpose):
        raise WorkRefused("unknown-link")
    return known


def _crowd_knows(campaign: Campaign, link: Link, arrival: Arrival) -> bool:
    """Ask the crowd for what arrived, and record the posting when it is known there."""
    if link.purpose == Posting.Purpose.TRIAL or link.purpose not in Posting.Purpose.values:
        return False
    if not arrival.place_crowd_id:  # a crowd without places: it knows who is at work for us
        check_session(campaign, arrival)
        campaign.postings.get_or_create(number=link.number, defaults={"purpose": link.purpose})
        return True
    try:
        UNKNOWN_PLACES.count(campaign)
        posted = crowd_for(campaign).place(arrival.place_crowd_id)
    except CrowdNever:
        return False
    except Refusal:
        raise WorkRefused("not-ready") from None
    if not posted.key.startswith(f"{campaign_key(campaign)}-{link.number}-"):
        return False
    return adopt(campaign, posted, purpose=link.purpose) is not None
