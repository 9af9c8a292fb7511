"""Top-ups: bonuses that raise everybody's pay to a minimum hourly pay."""

from decimal import Decimal
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from config.guidance import Guidance, Option
from judging.errors import CampaignRefused
from judging.jobs import continue_if_launched
from judging.money import top_ups
from judging.rules.pay import rounded
from web.api.bodies import Body, DryRun
from web.api.callers import campaign_to_change

router = Router()
Dollars = Annotated[Decimal, Field(gt=0, le=10**6, decimal_places=2)]


class TopUpIn(Body):
    """The minimum dollars per hour (default: the campaign's) and the approved total.

    ``dry_run`` only returns the plan.
    """

    minimum_hourly: Dollars | None = None
    confirm_spend: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] | None = None
    dry_run: DryRun = False


class TopUpOut(Schema):
    """A top-up: bonuses, and dollars without and with fees. ``done``: it is owed and will be paid soon.

    ``median_seconds``: the median time of a whole task, the basis. ``hourly``: dollars per hour at that time.
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
    summary="Raise everybody to a minimum hourly pay, or preview the cost; nothing is topped up twice",
)
def top_up(request: HttpRequest, name: str, asked: TopUpIn) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "spend money")
    plan = top_ups.foreseen_top_up(found, asked.minimum_hourly)
    refusal = top_ups.top_up_beyond_budget(found, plan)
    if plan.owed and not asked.dry_run:
        if asked.confirm_spend is None:
            raise CampaignRefused(
                f"The top-up comes to ${plan.total:,.2f}.",
                Guidance("Agree to it: ", Option("confirm-spend"), "."),
            )
        plan = top_ups.owe_top_ups(found, asked.minimum_hourly, by=user, confirmed=asked.confirm_spend)
        continue_if_launched(found)
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
