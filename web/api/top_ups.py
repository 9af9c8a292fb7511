"""Top-ups: everybody's pay brought to a least hourly pay, as bonuses."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from accounts.models import ApiToken
from judging.errors import CampaignRefused
from judging.pay import rounded
from judging.services import top_ups
from web.access import campaign_for, require
from web.api.bodies import Body, DryRun
from web.api.callers import actor
from web.api.workers import offer_more

router = Router()
Dollars = Annotated[Decimal, Field(gt=0, le=10**6, decimal_places=2)]


class TopUpIn(Body):
    """The least dollars an hour (the campaign's own if left out), and the total that is agreed to.

    ``dry_run`` only says what it takes.
    """

    minimum_hourly: Dollars | None = None
    confirm_spend: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] | None = None
    dry_run: DryRun = False


class TopUpOut(Schema):
    """What a top-up owes: bonuses, and dollars without fees and with them. ``done``: it is owed, and soon paid.

    ``median_seconds``: the time of a whole task that it goes by. ``hourly``: dollars an hour at that time so far.
    ``problem``: why the budget does not allow it.
    """

    done: bool
    bonuses: int
    amount: Decimal
    total: Decimal
    median_seconds: float
    hourly: Decimal
    minimum_hourly: Decimal
    problem: str


@router.post(
    "/campaigns/{name}/top-up",
    response=TopUpOut,
    summary="Bring everybody to a least hourly pay, or ask what that takes; what was topped up is not paid again",
)
def top_up(request: HttpRequest, name: str, asked: TopUpIn) -> dict[str, Any]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name)
    require(user, "spend money", found.collection)
    plan = top_ups.foreseen_top_up(found, asked.minimum_hourly)
    refusal = top_ups.beyond_budget(found, plan)
    if plan.owed and not asked.dry_run:
        if asked.confirm_spend is None:
            raise CampaignRefused(f"The top-up comes to ${plan.total:,.2f}.", "Agree to it: --confirm-spend.")
        plan = top_ups.top_up(found, asked.minimum_hourly, by=user, confirmed=asked.confirm_spend)
        offer_more(found)
    return {
        "done": not asked.dry_run,
        "bonuses": len(plan.owed),
        "amount": rounded(plan.amount),
        "total": rounded(plan.total),
        "median_seconds": plan.median_seconds,
        "hourly": plan.hourly,
        "minimum_hourly": plan.minimum_hourly,
        "problem": refusal.message if refusal else "",
    }
