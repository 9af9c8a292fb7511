"""A pilot: a few tasks are offered to learn time, pay and gold, before the campaign is launched for all."""

from __future__ import annotations

from collections.abc import Callable

from config.plurals import many
from judging.errors import CampaignRefused
from judging.models import Campaign, Place, Posting, Task
from judging.services.campaigns import move
from judging.services.check_list import Checked
from judging.services.launching import Launched, Terms, offer, plan_of
from judging.services.pilot_report import pilot_posting, pilot_report
from judging.services.places import LIVE, lacking


def pilot_campaign(
    campaign: Campaign,
    *,
    tasks: int,
    counts: bool = False,
    terms: Terms | None = None,
    who: str = "",
    tell: Callable[[Checked], None] | None = None,
) -> Launched:
    """Go through the check list and record the places of a pilot of so many tasks.

    It ends by itself when they are in. Its judgments count only when ``counts``. Raises NotReady, and
    CampaignRefused for more tasks than there are, or when an earlier pilot's judgments were dealt with otherwise.
    """
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    if not 1 <= tasks <= left:
        raise CampaignRefused(f"A pilot has between 1 and {many(left, 'task')}: so many are not done.")
    if pilot_posting(campaign) and campaign.pilot_counts != counts:
        kept = "count" if campaign.pilot_counts else "do not count"
        raise CampaignRefused(
            f"The judgments of this campaign's first pilot {kept}; a second pilot's are dealt with alike.",
            "Leave --count away." if counts else "Add --count.",
        )
    plan = plan_of(campaign, tasks, terms or Terms(), pilot=True)
    return offer(
        plan,
        to=Campaign.State.PILOTING,
        purpose=Posting.Purpose.PILOT,
        why=f"{many(tasks, 'task')}, ${plan.cost.total:,.2f}; judgments {'count' if counts else 'do not count'}",
        who=who,
        tell=tell,
        pilot_tasks=tasks,
        pilot_counts=counts,
    )


def finish_pilot(campaign: Campaign) -> bool:
    """End a pilot whose tasks are in; whether it ended now. Safe to repeat and to race.

    It is over, too, when no place is live and none is wanted: with judgments that count, all tasks may be done.
    """
    campaign.refresh_from_db()
    posting = pilot_posting(campaign)
    if campaign.state != Campaign.State.PILOTING or posting is None:
        return False
    filled = posting.places.filter(state=Place.State.FILLED).count()
    live = posting.places.filter(state__in=LIVE).exists()
    if filled < campaign.pilot_tasks and (live or lacking(campaign) > 0):
        return False
    report = pilot_report(campaign)
    assert report is not None
    try:
        move(campaign, Campaign.State.PILOTED, allowed=[Campaign.State.PILOTING], why=report.words())
    except CampaignRefused:  # somebody else was faster
        return False
    return True
