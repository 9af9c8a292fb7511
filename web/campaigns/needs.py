"""The next step of a campaign, and items that need a person's attention, such as workers' flags."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from config import clock
from config.guidance import Guidance
from config.plurals import many
from judging.intake.raised_flags import flagged_lately
from judging.launch.pilot_report import pilot_report
from judging.models import Campaign, GoldPair
from judging.watching.blockers import Problem
from judging.watching.history import Course
from judging.watching.status import campaign_next_step, is_complete
from web.campaigns.simulated_judging import waits_for_simulation
from web.common.campaign_steps import idle_campaign_direction, step_after_judging
from web.common.directions import Direction

#: How long automatic suspensions of gold pairs and new flags are listed.
NEWS = timedelta(days=3)
NAMED = 5


@dataclass(frozen=True)
class CampaignNeed:
    """An item that needs a person: its urgency (``kind``: ``stop`` or ``attention``), subject, next step and link."""

    kind: str
    what: str
    next_step: str = ""
    link: str = ""
    link_words: str = ""
    work: int | None = None
    """The key of the failed job, if the item is about one. A person can hide it, or retry it if ``again``."""
    again: bool = False


def suspended_lately(campaigns: Iterable[Campaign | int]) -> QuerySet[GoldPair]:
    """Return the gold pairs of these campaigns that were suspended automatically in the last three days."""
    suspended = GoldPair.objects.filter(campaign__in=campaigns, state=GoldPair.State.SUSPENDED, decided_by="")
    return suspended.filter(decided_at__gte=clock.now() - NEWS)


def is_used_up(crowd: Sequence[Problem]) -> bool:
    """Return whether one of the crowd's problems is that the budget is used up."""
    return any(Guidance(one.next_step).asks_for("raise_budget") for one in crowd)


def budget_direction(campaign: Campaign) -> Direction:
    """Return the next step of a campaign whose budget is used up."""
    link = reverse("web:campaign_budget", args=[campaign.name])
    return Direction(
        "The remaining tasks wait for a larger budget.", link, "Change the budget", "spend money"
    )


def flag_needs(campaign: Campaign) -> list[CampaignNeed]:
    """Return one item that lists workers with new behavior flags, or no item. A flag by itself excludes nobody."""
    fresh = list(flagged_lately(campaign, clock.now() - NEWS))
    if not fresh:
        return []
    named = ", ".join(f"worker {one.worker_id} ({', '.join(one.flags)})" for one in fresh[:NAMED])
    more = f", and {len(fresh) - NAMED:,} more" if len(fresh) > NAMED else ""
    return [
        CampaignNeed(
            "attention",
            f"{many(len(fresh), 'worker has', 'workers have')} new flags: {named}{more}.",
            "Check their answers. A flag excludes nobody.",
            reverse("web:campaign_workers", args=[campaign.name]) + "?show=flagged",
            "Look at the workers",
        )
    ]


def next_direction(campaign: Campaign, course: Course, *, active: int, stopped: bool) -> Direction:
    """Return the next step in the campaign, with a link to its page if it has one."""
    if campaign.pool_id is None and course.counted:
        return step_after_judging(campaign)
    if campaign.pool_id is not None:
        if said := idle_campaign_direction(campaign):
            return said
        if campaign.state in Campaign.OFFERING and not stopped and is_complete(campaign):
            return step_after_judging(campaign)
    status: dict[str, Any] = {
        "problems": stopped,
        "judgments": {"wanted": course.wanted, "counted": course.counted},
    }
    if campaign.state == Campaign.State.PILOTING and (report := pilot_report(campaign)):
        status["pilot"] = report.as_dict()
    if campaign.state == Campaign.State.OPEN and not stopped:
        left = max(0, course.wanted - course.counted)
        if waits_for_simulation(campaign, began=course.simulated > 0):
            return Direction(
                "Only simulated workers judge this campaign, and none is at work. "
                f"{many(left, 'judgment is', 'judgments are')} still to come.",
                reverse("web:simulate", args=[campaign.name]),
                "Have simulated workers judge",
                "launch campaign",
            )
        now = "Workers are judging." if active else "Tasks are offered, and nobody is judging at the moment."
        return Direction(f"{now} {many(left, 'judgment is', 'judgments are')} still to come.", is_step=False)
    waits = campaign.state in (Campaign.State.PILOTING, Campaign.State.CLOSING) and not stopped
    return Direction(campaign_next_step(campaign, status), is_step=not waits)
