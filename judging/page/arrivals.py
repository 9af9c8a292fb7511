"""Find the campaign and posting behind a link, even if a restored backup does not include the posting.

The link is signed, so its content is ours. Only the crowd can say whether the posting is still offered.
"""

from __future__ import annotations

from config.errors import Refusal
from judging.crowds import crowd_for
from judging.crowds.seam import Arrival
from judging.errors import CrowdNever, WorkRefused
from judging.exchange.calls import campaign_key
from judging.exchange.link_tokens import Link
from judging.exchange.recovered_places import UNKNOWN_PLACES, adopt
from judging.models import Campaign, Posting
from judging.page.admission import check_session


def campaign_of(link: Link) -> Campaign:
    """Return the campaign that the link was made for. Raises WorkRefused if it does not exist."""
    campaign = Campaign.objects.filter(pk=link.campaign_id).first()
    if campaign is None or link.campaign_key not in ("", campaign_key(campaign)):
        raise WorkRefused("unknown-link")
    return campaign


def posting_behind(campaign: Campaign, link: Link, arrival: Arrival) -> Posting:
    """Return the posting that the link was made for. A missing posting is recorded if the crowd knows it.

    Raises WorkRefused if there is no such posting or the crowd cannot be asked now.
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
    """Ask the crowd about this arrival, and record the posting if the crowd knows it."""
    if link.purpose == Posting.Purpose.TRIAL or link.purpose not in Posting.Purpose.values:
        return False
    if not arrival.place_crowd_id:  # a crowd without places knows who is working for us
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
