"""Launch: the check list, then the first posting of the main run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from config import clock
from judging.errors import CampaignRefused
from judging.expectations import Expectation
from judging.models import Campaign, Posting, Task
from judging.services.campaigns import move
from judging.services.check_list import Plan, check_list, expectation_of
from judging.services.cost import Quote, quote_tasks
from judging.services.payments import money
from judging.services.places import want_places
from judging.services.postings import next_posting


@dataclass(frozen=True)
class Terms:
    """What the person who launches decides: where, how much may be spent, the least hourly pay.

    None: the installation's endpoint, the cost itself (where it is no outside money), what the campaign has.
    """

    endpoint: str | None = None
    confirm_spend: Decimal | None = None
    minimum_hourly: Decimal | None = None


@dataclass(frozen=True)
class Launched:
    """What a launch did: what it costs (without repeats), what to expect, places wanted, checks passed."""

    cost: Quote
    expected: Expectation
    places: int
    checks: list[str]


def launch(
    campaign: Campaign,
    *,
    endpoint: str | None = None,
    confirm_spend: Decimal | None = None,
    minimum_hourly: Decimal | None = None,
    who: str = "",
    tell: Callable[[str], None] | None = None,
) -> Launched:
    """Check everything, then open the campaign and record the places that are wanted.

    ``tell`` hears of each check that passed. Raises NotReady at the first that did not.
    """
    plan = plan_of(
        campaign,
        campaign.tasks.exclude(state=Task.State.DONE).count(),
        Terms(endpoint, confirm_spend, minimum_hourly),
    )
    why = f"{plan.cost.tasks} tasks, ${plan.cost.total:.2f} without repeats"
    return offer(plan, to=Campaign.State.OPEN, purpose=Posting.Purpose.MAIN, why=why, who=who, tell=tell)


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
    )


def offer(
    plan: Plan,
    *,
    to: str,
    purpose: str,
    why: str,
    who: str,
    tell: Callable[[str], None] | None = None,
    **changes: Any,
) -> Launched:
    """Go through the check list, then change the campaign's state and record the places that are wanted."""
    passed = []
    for check in check_list(plan):
        passed.append(check)
        if tell:
            tell(check)
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
            launched_at=clock.now(),
            **changes,
        )
        next_posting(campaign, purpose)
        places = want_places(campaign)
    return Launched(cost, expected, places, passed)
