"""Launch: the check list, then the first posting of the main run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from config import clock
from config.plurals import many
from judging.errors import CampaignRefused, NotReady
from judging.expectations import Expectation
from judging.models import Campaign, Posting, Task
from judging.services.campaigns import move
from judging.services.check_list import Checked, Plan, check_list, check_not_launched, expectation_of
from judging.services.cost import Quote, quote_tasks
from judging.services.payments import money
from judging.services.places import want_places
from judging.services.postings import next_posting


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
    """What a launch did: what it costs (without repeats), what to expect, places wanted, checks passed."""

    cost: Quote
    expected: Expectation
    places: int
    checks: list[Checked]


def launch(
    campaign: Campaign,
    *,
    endpoint: str | None = None,
    confirm_spend: Decimal | None = None,
    minimum_hourly: Decimal | None = None,
    placeholder_text: bool = False,
    who: str = "",
    tell: Callable[[Checked], None] | None = None,
) -> Launched:
    """Check everything, then open the campaign and record the places that are wanted.

    ``tell`` hears of each check that passed. Raises NotReady at the first that did not.
    """
    plan = plan_of(
        campaign,
        campaign.tasks.exclude(state=Task.State.DONE).count(),
        Terms(endpoint, confirm_spend, minimum_hourly, placeholder_text),
    )
    why = f"{many(plan.cost.tasks, 'task')}, ${plan.cost.total:,.2f} without repeats"
    return offer(plan, to=Campaign.State.OPEN, purpose=Posting.Purpose.MAIN, why=why, who=who, tell=tell)


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


def check_confirmed(amount: Decimal, confirmed: Decimal) -> None:
    """Raises CampaignRefused unless a person agreed to this very amount."""
    if confirmed != amount:
        raise CampaignRefused(
            f"You confirmed ${confirmed:,.2f}, and it is ${amount:,.2f}. Nothing was offered.",
            f"Read what it costs, and confirm {amount:.2f}.",
        )


def launch_confirmed(campaign: Campaign, *, confirmed: Decimal, who: str = "") -> Launched:
    """Launch at the installation's crowd within an amount that a person has read and repeated.

    A campaign without a budget gets what was confirmed as its budget: repeats that it cannot pay for wait until it is
    raised. Raises CampaignRefused for another amount, NotReady at the first check that does not pass.
    """
    check_not_launched(campaign)
    amount = amount_to_confirm(campaign)
    check_confirmed(amount, confirmed)
    plan = plan_of(
        campaign, campaign.tasks.exclude(state=Task.State.DONE).count(), Terms(confirm_spend=confirmed)
    )
    kept: dict[str, Any] = {"confirmed_at_launch": confirmed}
    if campaign.budget is None:
        kept["budget"] = amount + money(campaign)["committed"]
    why = f"{many(plan.cost.tasks, 'task')}, ${plan.cost.total:,.2f} without repeats; up to ${amount:,.2f} confirmed"
    return offer(plan, to=Campaign.State.OPEN, purpose=Posting.Purpose.MAIN, why=why, who=who, **kept)


def plan_of(campaign: Campaign, tasks: int, terms: Terms, *, pilot: bool = False) -> Plan:
    """What offering so many tasks on these terms comes to."""
    least = terms.minimum_hourly
    if least is not None and least < 0:
        raise CampaignRefused("--minimum-hourly must be an amount in dollars.")
    return Plan(
        campaign=campaign,
        endpoint=(terms.endpoint or settings.CROWD_ENDPOINT).rstrip("/"),
        cost=quote_tasks(campaign, tasks),
        confirm_spend=terms.confirm_spend,
        minimum_hourly=campaign.minimum_hourly if least is None else least,
        pilot=pilot,
        placeholder_text=terms.placeholder_text,
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
    except NotReady:
        _tell(passed, tell)
        raise
    except CampaignRefused:
        check_not_launched(plan.campaign)
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
    expected = expectation_of(campaign)
    with transaction.atomic():
        # What a pilot has committed comes on top of what is agreed to now.
        agreed = (plan.confirm_spend or cost.total) + money(campaign)["committed"]
        move(
            campaign,
            to,
            allowed=Campaign.BEFORE_LAUNCH,
            who=who,
            why=why,
            endpoint=plan.endpoint,
            confirmed_spend=agreed,
            minimum_hourly=plan.minimum_hourly,
            placeholder_text=campaign.placeholder_text or plan.placeholder_text,
            launched_at=clock.now(),
            **changes,
        )
        next_posting(campaign, purpose)
        places = want_places(campaign)
    return Launched(cost, expected, places, passed)
