"""Launch a campaign: run all checks, then create the first posting. Commands, pages and the API share this code."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from config import clock
from config.guidance import Guidance, Option
from config.plurals import many
from judging.campaign.campaigns import move
from judging.campaign.cost import Quote, money, quote_tasks
from judging.campaign.postings import next_posting
from judging.campaign.reservations import reserve
from judging.campaign.screening_forecast import outlook_of
from judging.errors import BadInput, CampaignRefused, MayNotSpend, NotReady
from judging.intake.places import want_places
from judging.launch.check_results import Checked
from judging.launch.checks import check_list
from judging.launch.plan import Plan
from judging.launch.second_launches import already_launched, check_not_launched
from judging.models import Campaign, Posting, Task
from judging.rules.expectations import Outlook


@dataclass(frozen=True)
class Terms:
    """The launch terms that a person chooses: endpoint, spending limit and minimum hourly pay.

    ``endpoint`` defaults to the installation's endpoint, and ``minimum_hourly`` to the campaign's minimum. Without
    ``confirm_spend``, the operator confirms :func:`amount_to_confirm` if no outside money is spent. Any other launch
    without it is refused.
    ``placeholder_text`` lets simulated workers, and nobody else, judge passages without text.
    ``accept_weak_screening`` allows a launch even if tasks can be passed without reading.
    """

    endpoint: str | None = None
    confirm_spend: Decimal | None = None
    minimum_hourly: Decimal | None = None
    placeholder_text: bool = False
    accept_weak_screening: bool = False


@dataclass(frozen=True)
class Launched:
    """The result of a launch: the cost without repeats, the forecast, the number of new places, the passed checks.

    ``already`` is what to tell the person if the same launch was made before, so that nothing was done.
    """

    cost: Quote
    outlook: Outlook
    places: int
    checks: list[Checked]
    already: str = ""


def launch_campaign(
    campaign: Campaign,
    *,
    endpoint: str | None = None,
    confirm_spend: Decimal | None = None,
    minimum_hourly: Decimal | None = None,
    placeholder_text: bool = False,
    accept_weak_screening: bool = False,
    by: User | None = None,
    who: str = "",
    tell: Callable[[Checked], None] | None = None,
) -> Launched:
    """Run all checks, then open the campaign with a confirmed amount as its limit and record the places to post.

    The amount is reserved against what ``by`` can spend. ``by`` is None for the operator in the terminal, whose name
    is ``who``. A campaign without a budget gets the amount as its budget: repeats that it cannot pay for wait until
    the budget is raised. Repeating the same launch changes nothing; the operator's launch without an amount is the
    same as any.

    ``tell`` is called with each check that passed. Raises CampaignRefused if a person confirmed an amount other than
    the one shown, and NotReady at the first check that fails. Raises AlreadyLaunched for a second launch with a
    different amount or none, and MayNotSpend if ``by`` cannot spend the amount.
    """
    terms = Terms(endpoint, confirm_spend, minimum_hourly, placeholder_text, accept_weak_screening)
    tasks = campaign.tasks.exclude(state=Task.State.DONE).count()
    plan = plan_offer(campaign, tasks, terms, by=by)
    if _is_launched_as_planned(plan):
        return _launched_before(plan)
    check_not_launched(campaign)
    plan = confirm_plan(plan, amount_to_confirm(campaign))
    why = (
        f"{many(tasks, 'task')}, ${plan.cost.total:,.2f} without repeats; up to ${plan.amount:,.2f} confirmed"
        f"{plan.accepted_words}"
    )
    try:
        return offer_tasks(
            plan,
            to=Campaign.State.OPEN,
            purpose=Posting.Purpose.MAIN,
            why=why,
            who=who,
            tell=tell,
            confirmed_at_launch=plan.amount,
        )
    except CampaignRefused:
        if _is_launched_as_planned(plan):
            return _launched_before(plan)  # a concurrent call has just made the same launch
        check_not_launched(campaign)
        raise


def _is_launched_as_planned(plan: Plan) -> bool:
    """Return whether the campaign is launched with the plan's amount. Only the operator can leave out the amount."""
    campaign, amount = plan.campaign, plan.confirm_spend
    same = plan.by is None if amount is None else campaign.confirmed_at_launch == amount
    return campaign.is_launched and same


def _launched_before(plan: Plan) -> Launched:
    already = str(already_launched(plan.campaign))
    return Launched(plan.cost, outlook_of(plan.campaign), 0, [], already=already)


def amount_to_confirm(campaign: Campaign, tasks: int | None = None) -> Decimal:
    """Return the dollars, fees included, that a person confirms at launch, or for a pilot of ``tasks`` tasks.

    At launch, this amount becomes the spending limit. It is the rest of the budget, but at least the cost without
    repeats. Without a budget, it is the forecast cost with repeats, or the cost without them if almost no task would
    count. For a pilot, it is the cost: nothing is repeated.
    """
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    cost = quote_tasks(campaign, left if tasks is None else tasks).total
    if tasks is not None:
        return cost
    if campaign.budget is None:
        expected = outlook_of(campaign).costs(cost)[1]  # None: almost no task counts
        return cost if expected is None else expected
    return max(cost, campaign.budget - money(campaign)["committed"])


def confirm_plan(plan: Plan, amount: Decimal) -> Plan:
    """Return the plan with the confirmed amount. Raises CampaignRefused if a person confirmed a different amount.

    A person must confirm the exact amount shown. The operator can leave it out if no outside money is spent, and can
    confirm more or less, down to the cost.
    """
    given = plan.confirm_spend
    if plan.by is not None and given != amount:
        said = "You confirmed no amount" if given is None else f"You confirmed ${given:,.2f}"
        raise CampaignRefused(
            f"{said}, but the amount is ${amount:,.2f}. Nothing was posted.",
            f"Check the cost, then confirm {amount:.2f}.",
        )
    if given is not None and not (given.is_finite() and given >= 0):
        raise BadInput("The confirmed amount must be in dollars, and 0 or more.")
    return plan.agreed(amount if given is None else given)


def plan_offer(
    campaign: Campaign, tasks: int, terms: Terms, *, pilot: bool = False, by: User | None = None
) -> Plan:
    """Return the plan to post ``tasks`` tasks on these terms. Raises BadInput for a negative minimum pay."""
    least = terms.minimum_hourly
    if least is not None and least < 0:
        raise BadInput(Guidance(Option("minimum-hourly"), " must be in dollars, and 0 or more."))
    return Plan(
        campaign=campaign,
        endpoint=(terms.endpoint or settings.CROWD_ENDPOINT).rstrip("/"),
        cost=quote_tasks(campaign, tasks),
        confirm_spend=terms.confirm_spend,
        minimum_hourly=campaign.minimum_hourly if least is None else least,
        pilot=pilot,
        placeholder_text=terms.placeholder_text,
        accept_weak_screening=campaign.accept_weak_screening or terms.accept_weak_screening,
        by=by,
    )


def offer_tasks(
    plan: Plan,
    *,
    to: str,
    purpose: str,
    why: str,
    who: str,
    tell: Callable[[Checked], None] | None = None,
    **changes: Any,
) -> Launched:
    """Run all checks, then change the campaign's state and the fields in ``changes``, and record the places to post.

    If two calls run at once, the second is refused and does not report its checks.
    """
    passed: list[Checked] = []
    try:
        for check in check_list(plan):
            passed.append(check)
        launched = _open_campaign(plan, passed, to=to, purpose=purpose, why=why, who=who, **changes)
    except (NotReady, MayNotSpend):
        _report_passed(passed, tell)
        raise
    _report_passed(passed, tell)
    return launched


def _report_passed(passed: list[Checked], tell: Callable[[Checked], None] | None) -> None:
    if tell:
        for check in passed:
            tell(check)


def _open_campaign(
    plan: Plan, passed: list[Checked], *, to: str, purpose: str, why: str, who: str, **changes: Any
) -> Launched:
    campaign, cost = plan.campaign, plan.cost
    expected = outlook_of(campaign)
    with transaction.atomic():
        # A pilot's committed amount comes on top of the amount confirmed now.
        ceiling = plan.ceiling
        reserve(campaign, ceiling, by=plan.by, who=who)
        if purpose == Posting.Purpose.MAIN and campaign.budget is None and not campaign.rehearsal_of_id:
            changes["budget"] = ceiling
        move(
            campaign,
            to,
            allowed=Campaign.BEFORE_LAUNCH,
            who=plan.by.get_username() if plan.by else who,
            why=why,
            endpoint=plan.endpoint,
            confirmed_spend=ceiling,
            minimum_hourly=plan.minimum_hourly,
            placeholder_text=campaign.placeholder_text or plan.placeholder_text,
            accept_weak_screening=plan.accept_weak_screening,
            launched_at=clock.now(),
            **changes,
        )
        next_posting(campaign, purpose)
        places = want_places(campaign)
    return Launched(cost, expected, places, passed)
