"""What a person has to look at on a campaign's page, and what workers' flags add to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.urls import reverse

from config import clock
from config.plurals import many
from judging.models import Campaign
from judging.services.flagging import flagged_lately

#: What happened by itself is named for so long.
NEWS = timedelta(days=3)
NAMED = 5


@dataclass(frozen=True)
class Need:
    """Something that a person has to look at: how urgent (``stop`` or ``attention``), what, what to do, where."""

    kind: str
    what: str
    next_step: str = ""
    link: str = ""
    link_words: str = ""
    work: int | None = None
    """The failed job that it is about: it can be put away, and tried again where that is ``again``."""
    again: bool = False


def flag_needs(campaign: Campaign) -> list[Need]:
    """Workers whose behavior raised a flag lately; a flag alone decides nothing."""
    fresh = list(flagged_lately(campaign, clock.now() - NEWS))
    if not fresh:
        return []
    named = ", ".join(f"worker {one.worker_id} ({', '.join(one.flags)})" for one in fresh[:NAMED])
    more = f", and {len(fresh) - NAMED:,} more" if len(fresh) > NAMED else ""
    return [
        Need(
            "attention",
            f"{many(len(fresh), 'worker has', 'workers have')} new flags: {named}{more}.",
            "Look at what they chose. A flag excludes nobody.",
            reverse("web:campaign_workers", args=[campaign.name]) + "?show=flagged",
            "Look at the workers",
        )
    ]
