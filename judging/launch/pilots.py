"""Pilots: post a few tasks to test time, pay and gold pairs before the full launch."""

from collections.abc import Callable

from django.db import transaction

from accounts.models import User
from config.guidance import Action, Guidance, Option
from config.plurals import many
from judging.campaign.campaigns import move
from judging.campaign.reservations import settle_reservations
from judging.campaign.screening_forecast import outlook_of
from judging.errors import BadInput, CampaignRefused
from judging.intake.places import lacking
from judging.launch.check_results import Checked
from judging.launch.launches import Launched, Terms, amount_to_confirm, confirm_plan, offer_tasks, plan_offer
from judging.launch.pilot_report import pilot_posting, pilot_report
from judging.launch.plan import Plan
from judging.launch.second_launches import check_not_launched
from judging.models import Campaign, Place, Posting, Task


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
    """Run all launch checks, then record the places to be posted for a pilot of ``tasks`` tasks.

    The pilot ends when all its tasks are submitted. Its judgments count only if ``counts`` is true. Its cost is
    reserved against what ``by`` can spend (None: the operator). Repeating the call while the pilot is running changes
    nothing.

    Raises NotReady or MayNotSpend if a check fails, and BadInput for no task or more tasks than are left. Raises
    CampaignRefused if ``by`` confirmed an amount other than the cost, only simulated workers may judge, or an earlier
    pilot had another value of ``counts``.
    """
    plan = plan_offer(campaign, tasks, terms or Terms(), pilot=True, by=by)
    if _is_under_way(plan):
        return _started_before(plan)
    check_not_launched(campaign)
    if campaign.placeholder_text:
        raise CampaignRefused(
            f"Campaign {campaign.name} is for simulated workers only, so nobody can take the tasks of a pilot.",
            Guidance(Action("rehearse_campaign", campaign.name, lead="Rehearse it"), "."),
        )
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    if not 1 <= tasks <= left:
        raise BadInput(
            f"You requested {many(tasks, 'task')}, but {many(left, 'task is', 'tasks are')} left.",
            f"Choose between 1 and {many(left, 'task')} for the pilot." if left else "",
        )
    if pilot_posting(campaign) and campaign.pilot_counts != counts:
        kept = "count" if campaign.pilot_counts else "do not count"
        raise CampaignRefused(
            f"The judgments of this campaign's first pilot {kept}, so a second pilot must use the same setting.",
            Guidance("Remove ", Option("count"), ".") if counts else Guidance("Add ", Option("count"), "."),
        )
    what = "count" if counts else "do not count"
    why = f"{many(tasks, 'task')}, ${plan.cost.total:,.2f}; judgments {what}{plan.accepted_words}"
    try:
        return offer_tasks(
            confirm_plan(plan, amount_to_confirm(campaign, tasks)),
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
            return _started_before(plan)
        check_not_launched(campaign)
        raise


def _is_under_way(plan: Plan) -> bool:
    """Return whether a pilot with the plan's number of tasks and confirmed amount is already running."""
    campaign, same = plan.campaign, plan.confirm_spend in (None, plan.cost.total)
    return campaign.state == Campaign.State.PILOTING and same and campaign.pilot_tasks == plan.cost.tasks


def _started_before(plan: Plan) -> Launched:
    already = f"This pilot of {plan.campaign.name} is already running. Nothing changed."
    return Launched(plan.cost, outlook_of(plan.campaign), 0, [], already=already)


def finish_pilot(campaign: Campaign) -> bool:
    """End a pilot whose tasks are all submitted; return whether it ended now. Safe to call concurrently.

    The pilot also ends if no place is live and none is needed. That can happen if its judgments count and every
    task of the campaign is done.
    """
    campaign.refresh_from_db()
    posting = pilot_posting(campaign)
    if campaign.state != Campaign.State.PILOTING or posting is None:
        return False
    filled = posting.places.filter(state=Place.State.FILLED).count()
    live = posting.places.filter(state__in=Place.LIVE).exists()
    if filled < campaign.pilot_tasks and (live or lacking(campaign) > 0):
        return False
    report = pilot_report(campaign)
    assert report is not None
    try:
        with transaction.atomic():
            settle_reservations(campaign)
            move(campaign, Campaign.State.PILOTED, allowed=[Campaign.State.PILOTING], why=report.words())
    except CampaignRefused:  # another process was faster
        return False
    return True
