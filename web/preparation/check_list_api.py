"""The check list of a launch, and the screening forecast."""

from functools import partial
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Router, Schema
from pydantic import AfterValidator

from judging.campaign.cost import quote_tasks
from judging.campaign.screening_forecast import outlook_of, rules_compared
from judging.campaign.shared_figures import figures_read_once
from judging.launch.check_results import check_row, strategy_rows
from judging.launch.launches import amount_to_confirm
from judging.models import Campaign
from web.api.caller_guidance import guidance_for
from web.api.callers import reader
from web.common.access import campaign_for
from web.preparation.shown_checks import check_page

router = Router()
FourDigits = Annotated[float, AfterValidator(partial(round, ndigits=4))]


class CheckOut(Schema):
    """A check, with advice if it failed, or if it passed but needs ``attention``."""

    name: str
    passed: bool
    attention: bool
    words: str
    next_step: str


class RuleOut(Schema):
    """The forecast of the campaign's results under a screening rule.

    ``cost`` is null if hardly any task would count. ``level``: whether the rule finds at most 3% fewer correct best
    answers per dollar than the best rule.
    """

    rule: str
    recommended: bool
    level: bool
    honest_kept: FourDigits
    careless_caught: FourDigits
    bad_judgments: FourDigits
    cost: float | None
    right_per_dollar: FourDigits


class RepeatsOut(Schema):
    """The cost with repeats, in dollars, at several rates at which honest workers miss gold pairs.

    ``measured_on``: number of pilot answers behind the rates; 0 if the rates are assumed. ``tasks_per_worker``: the
    assumed maximum per worker. Half of the workers are assumed to do only one task.
    """

    tasks_per_worker: int
    measured_on: int
    slip_rates: Annotated[list[float], Field(description="low, expected, high")]
    costs: Annotated[
        list[float | None], Field(description="At these rates; null: hardly any task would count")
    ]


class PassesOut(Schema):
    """A strategy's chance of passing this number of tasks in a row."""

    tasks: int
    chance: float


class StrategyOut(Schema):
    """The results of a strategy that answers without reading, on the accepted gold pairs.

    ``agrees``: the share of real pairs on which it agrees with the labels; null without labels.
    """

    name: str
    right: float
    passes: list[PassesOut]
    agrees: float | None


class CheckListOut(Schema):
    """The check list: whether a launch would succeed, the amount to confirm, all checks, and the screening forecast.

    ``strategies`` are tried on the accepted gold pairs.
    """

    ready: bool
    amount: float
    problem: str
    checks: list[CheckOut]
    repeats: RepeatsOut
    screening: list[RuleOut]
    strategies: list[StrategyOut]


@router.get(
    "/campaigns/{name}/check-list",
    response=CheckListOut,
    summary="Get the check list of a launch, and its amount",
)
@figures_read_once()
def read_check_list(request: HttpRequest, name: str) -> dict[str, Any]:
    found = campaign_for(user := reader(request), name, "prepare campaign")
    page, said = check_page(found, user), guidance_for(request)
    return {
        "ready": page.ready,
        "amount": float(amount_to_confirm(found)),
        "problem": said(str(page.refusal or "")),
        "checks": [check_row(one.check, said) for one in page.checks],
        "repeats": _repeats_out(found),
        "screening": rules_compared(found),
        "strategies": strategy_rows(one.check for one in page.checks),
    }


def _repeats_out(campaign: Campaign) -> dict[str, Any]:
    seen = outlook_of(campaign)
    costs = seen.costs(quote_tasks(campaign, campaign.tasks.count()).total)
    return {
        "tasks_per_worker": seen.expected.tasks_per_worker,
        "measured_on": seen.slips.seen,
        "slip_rates": [round(rate, 4) for rate in (seen.slips.low, seen.slips.expected, seen.slips.high)],
        "costs": [None if cost is None else float(cost) for cost in costs],
    }
