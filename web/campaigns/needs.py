"""What needs a person's attention on a campaign's page, including workers' flags."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.urls import reverse

from config import clock
from config.guidance import Guidance
from config.plurals import many
from judging.intake.flagging import flagged_lately
from judging.models import Campaign
from judging.watching.stuck_work import Problem
from web.common.directions import Direction

#: How long automatic decisions and new flags are shown.
NEWS = timedelta(days=3)
NAMED = 5


@dataclass(frozen=True)
class Need:
    """An item that needs a person: urgency (``stop`` or ``attention``), subject, next step, link."""

    kind: str
    what: str
    next_step: str = ""
    link: str = ""
    link_words: str = ""
    work: int | None = None
    """The failed job, if any: it can be hidden, and retried if ``again``."""
    again: bool = False


def is_used_up(crowd: Sequence[Problem]) -> bool:
    """Return whether one of the crowd's problems is that the budget is used up."""
    return any(Guidance(one.next_step).asks_for("raise_budget") for one in crowd)


def budget_direction(campaign: Campaign) -> Direction:
    """Return the next step of a campaign whose budget is used up."""
    link = reverse("web:campaign_budget", args=[campaign.name])
    return Direction(
        "The remaining tasks wait for a larger budget.", link, "Change the budget", "spend money"
    )


def flag_needs(campaign: Campaign) -> list[Need]:
    """Return workers with new behavior flags. A flag alone decides nothing."""
    fresh = list(flagged_lately(campaign, clock.now() - NEWS))
    if not fresh:
        return []
    named = ", ".join(f"worker {one.worker_id} ({', '.join(one.flags)})" for one in fresh[:NAMED])
    more = f", and {len(fresh) - NAMED:,} more" if len(fresh) > NAMED else ""
    return [
        Need(
            "attention",
            f"{many(len(fresh), 'worker has', 'workers have')} new flags: {named}{more}.",
            "Check their answers. A flag excludes nobody.",
            reverse("web:campaign_workers", args=[campaign.name]) + "?show=flagged",
            "Look at the workers",
        )
    ]
