"""Launch: the check list, then the first posting of the main run; one way for commands, pages and calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from config import clock
from config.plurals import many
from judging.errors import BadInput, CampaignRefused, MayNotSpend, NotReady
from judging.expectations import Outlook
from judging.models import Campaign, Posting, Task
from judging.services.campaigns import move
from judging.services.check_list import check_list, check_not_launched
from judging.services.checked import Checked
from judging.services.cost import Quote, quote_tasks
from judging.services.expecting import outlook_of
from judging.services.launch_plan import Plan
from judging.services.payments import money
from judging.services.places import want_places
from judging.services.postings import next_posting
from judging.services.reserving import reserve


@dataclass(frozen=True)
class Terms:
    """What the person who launches decides: where, how much may be spent, the least hourly pay.

    None: the installation's endpoint, the cost itself (where it is no outside money), what the campaign has.
    ``placeholder_text`` lets simulated workers, and nobody else, judge passages without text.
    """

    endpoint: str | None = None
    confirm_spend: Decimal | None = None
    minimum_hourly: Decimal | None = None
    placeholder_text: bool = False


@dataclass(frozen=True)
class Launched:
    """What a launch did: what it costs (without repeats), what to expect, places wanted, checks passed.

    ``again``: it was launched with the same amount before, and nothing was done.
    """

    cost: Quote
    outlook: Outlook
    places: int
    checks: list[Checked]
    again: bool = False


def launch(
    campaign: Campaign,
    *,
    endpoint: str | None = None,
    confirm_spend: Decimal | None = None,
    minimum_hourly: Decimal | None = None,
    placeholder_text: bool = False,
    by: User | None = None,
    who: str = "",
    tell: Callable[[Checked], None] | None = None,
) -> Launched:
    """Check everything, then open the campaign within a confirmed amount, and record the places that are wanted.

    The amount is reserved against what ``by`` may spend. ``by`` is None for the operator in the terminal, whose name
    is ``who``. A campaign without a budget gets the amount as its budget: repeats that it cannot pay for wait until
    the budget is raised. The same launch again changes nothing.

    ``tell`` hears of each check that passed. Raises CampaignRefused for another amount, NotReady at the first check
    that did not pass, AlreadyLaunched for a second launch with another amount, MayNotSpend.
    """
    terms = Terms(endpoint, confirm_spend, minimum_hourly, placeholder_text)
    tasks = campaign.tasks.exclude(state=Task.State.DONE).count()
    plan = plan_of(campaign, tasks, terms, by=by)
    if _was_launched_with(campaign, confirm_spend):
        return _again(plan)
    check_not_launched(campaign)
    plan = confirmed(plan, amount_to_confirm(campaign))
    why = (
        f"{many(tasks, 'task')}, ${plan.cost.total:,.2f} without repeats; up to ${plan.amount:,.2f} confirmed"
    )
    try:
        return offer(
            plan,
            to=Campaign.State.OPEN,
            purpose=Posting.Purpose.MAIN,
            why=why,
            who=who,
            tell=tell,
            confirmed_at_launch=plan.amount,
        )
    except CampaignRefused:
        if _was_launched_with(campaign, confirm_spend):
            return _again(plan)  # the same launch, a moment earlier
        check_not_launched(campaign)
        raise


def _was_launched_with(campaign: Campaign, amount: Decimal | None) -> bool:
    before = campaign.state in (*Campaign.BEFORE_LAUNCH, Campaign.State.PILOTING)
    return not before and amount is not None and campaign.confirmed_at_launch == amount


def _again(plan: Plan) -> Launched:
    return Launched(plan.cost, outlook_of(plan.campaign), 0, [], again=True)


def amount_to_confirm(campaign: Campaign, tasks: int | None = None) -> Decimal:
    """The dollars, fees included, that a person agrees to at launch (or for a pilot of so many tasks).

    A launch: what the campaign's budget leaves, or without one the cost without repeats. It is then the most that is
    spent. A pilot repeats nothing: its cost.
    """
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    cost = quote_tasks(campaign, left if tasks is None else tasks).total
    if tasks is not None or campaign.budget is None:
        return cost
    return max(cost, campaign.budget - money(campaign)["committed"])


def confirmed(plan: Plan, amount: Decimal) -> Plan:
    """The plan with the amount that was agreed to. Raises CampaignRefused when it is not the one to agree to.

    A person repeats the very amount that was shown. The operator may leave it out where no outside money is spent,
    and may allow more or less than that, down to the cost.
    """
    given = plan.confirm_spend
    if plan.by is not None and given != amount:
        said = "No amount was confirmed" if given is None else f"You confirmed ${given:,.2f}"
        raise CampaignRefused(
            f"{said}, and it is ${amount:,.2f}. Nothing was offered.",
            f"Read what it costs, and confirm {amount:.2f}.",
        )
    if given is not None and not (given.is_finite() and given >= 0):
        raise BadInput("The confirmed amount must be an amount in dollars.")
    return plan.agreed(amount if given is None else given)


def plan_of(
    campaign: Campaign, tasks: int, terms: Terms, *, pilot: bool = False, by: User | None = None
) -> Plan:
    """What offering so many tasks on these terms comes to."""
    least = terms.minimum_hourly
    if least is not None and least < 0:
        raise BadInput("--minimum-hourly must be an amount in dollars.")
    return Plan(
        campaign=campaign,
        endpoint=(terms.endpoint or settings.CROWD_ENDPOINT).rstrip("/"),
        cost=quote_tasks(campaign, tasks),
        confirm_spend=terms.confirm_spend,
        minimum_hourly=campaign.minimum_hourly if least is None else least,
        pilot=pilot,
        placeholder_text=terms.placeholder_text,
        by=by,
    )


def offer(
    plan: Plan,
    *,
    to: str,
    purpose: str,
    why: str,
    who: str,
    tell: Callable[[Checked], None] | None = None,
    **changes: Any,
) -> Launched:
    """Go through the check list, then change the campaign's state and record the places that are wanted.

    Of two at once the second is refused; it has nothing to tell of checks that were another's.
    """
    passed: list[Checked] = []
    try:
        for check in check_list(plan):
            passed.append(check)
        launched = _open(plan, passed, to=to, purpose=purpose, why=why, who=who, **changes)
    except (NotReady, MayNotSpend):
        _tell(passed, tell)
        raise
    _tell(passed, tell)
    return launched


def _tell(passed: list[Checked], tell: Callable[[Checked], None] | None) -> None:
    if tell:
        for check in passed:
            tell(check)


def _open(
    plan: Plan, passed: list[Checked], *, to: str, purpose: str, why: str, who: str, **changes: Any
) -> Launched:
    campaign, cost = plan.campaign, plan.cost
    expected = outlook_of(campaign)
    with transaction.atomic():
        # What a pilot has committed comes on top of what is agreed to now.
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
            launched_at=clock.now(),
            **changes,
        )
        next_posting(campaign, purpose)
        places = want_places(campaign)
    return Launched(cost, expected, places, passed)
