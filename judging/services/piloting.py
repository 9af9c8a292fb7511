"""A pilot: a few tasks are offered to learn time, pay and gold, before the campaign is launched for all."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from accounts.models import User
from config.plurals import many
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, Place, Posting, Task
from judging.services.campaigns import move
from judging.services.check_list import check_not_launched
from judging.services.checked import Checked
from judging.services.expecting import outlook_of
from judging.services.launch_plan import Plan
from judging.services.launching import Launched, Terms, amount_to_confirm, confirmed, offer, plan_of
from judging.services.pilot_report import pilot_posting, pilot_report
from judging.services.places import LIVE, lacking
from judging.services.reserving import settle


def pilot_campaign(
    campaign: Campaign,
    *,
    tasks: int,
    counts: bool = False,
    terms: Terms | None = None,
    by: User | None = None,
    who: str = "",
    tell: Callable[[Checked], None] | None = None,
) -> Launched:
    """Go through the check list and record the places of a pilot of so many tasks.

    It ends by itself when they are in. Its judgments count only when ``counts``. What it costs is reserved against
    what ``by`` may spend (None: the operator). The same pilot while it is under way changes nothing. Raises NotReady,
    MayNotSpend, BadInput for more tasks than there are, and CampaignRefused for another amount, or when an earlier
    pilot's judgments were dealt with otherwise.
    """
    plan = plan_of(campaign, tasks, terms or Terms(), pilot=True, by=by)
    if _is_under_way(plan):
        return Launched(plan.cost, outlook_of(campaign), 0, [], again=True)
    check_not_launched(campaign)
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    if not 1 <= tasks <= left:
        raise BadInput(
            f"{tasks:,} tasks were asked for, and {many(left, 'task is', 'tasks are')} not done.",
            f"Choose between 1 and {many(left, 'task')} for the pilot." if left else "",
        )
    if pilot_posting(campaign) and campaign.pilot_counts != counts:
        kept = "count" if campaign.pilot_counts else "do not count"
        raise CampaignRefused(
            f"The judgments of this campaign's first pilot {kept}; a second pilot's are dealt with alike.",
            "Leave --count away." if counts else "Add --count.",
        )
    why = f"{many(tasks, 'task')}, ${plan.cost.total:,.2f}; judgments {'count' if counts else 'do not count'}"
    try:
        return offer(
            confirmed(plan, amount_to_confirm(campaign, tasks)),
            to=Campaign.State.PILOTING,
            purpose=Posting.Purpose.PILOT,
            why=why,
            who=who,
            tell=tell,
            pilot_tasks=tasks,
            pilot_counts=counts,
        )
    except CampaignRefused:
        if _is_under_way(plan):
            return Launched(plan.cost, outlook_of(campaign), 0, [], again=True)
        check_not_launched(campaign)
        raise


def _is_under_way(plan: Plan) -> bool:
    """Whether this very pilot, with this amount, is the one under way."""
    campaign, same = plan.campaign, plan.confirm_spend in (None, plan.cost.total)
    return campaign.state == Campaign.State.PILOTING and same and campaign.pilot_tasks == plan.cost.tasks


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
        with transaction.atomic():
            settle(campaign)
            move(campaign, Campaign.State.PILOTED, allowed=[Campaign.State.PILOTING], why=report.words())
    except CampaignRefused:  # somebody else was faster
        return False
    return True
