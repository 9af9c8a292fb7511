"""Decisions about held pay and about work that the crowd never listed, and top-ups for all workers."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema

from config.guidance import Guidance, Option
from judging.errors import CampaignRefused
from judging.jobs import continue_if_launched
from judging.models import Campaign, Submission
from judging.money import top_ups
from judging.money.held_pay import held_work, pay_held
from judging.money.rejections import decide_rejection
from judging.money.unlisted_work import missing_work, pay_missing
from judging.rules.pay import rounded
from web.api.bodies import Body, DryRun
from web.api.callers import campaign_to_change, reader
from web.api.works import Text
from web.common.access import campaign_for, require

router = Router()


class HeldOut(Schema):
    """Held pay, in dollars without fees. ``reward`` is paid in full or not at all.

    ``pays_itself_at``: when the crowd pays the reward unless a person decides first. ``rejects_itself_at``: when
    a submission without a judged pair is rejected unless a person decides first. At least one of the two is
    null.
    """

    submission: int
    worker: int
    amount: Decimal
    reward: Decimal
    answered: int
    saved: int
    why: str
    pays_itself_at: datetime | None
    rejects_itself_at: datetime | None


class HeldDecision(Body):
    """A decision about held pay. ``pay`` pays ``amount`` dollars (default: all), and ``reject`` pays nothing.

    The worker can read ``why``.
    """

    decision: Literal["pay", "reject"]
    amount: Annotated[Decimal, Field(ge=0, max_digits=8, decimal_places=2)] | None = None
    why: Annotated[Text, Field(max_length=1000)] = ""


class MissingOut(Schema):
    """A submission on our page that the crowd never listed; ``ways`` are the ways to pay for it."""

    submission: int
    receipt: str
    worker: int
    judged: int
    shown: int
    earned: Decimal
    ways: list[str]


class MissingPay(Body):
    """The way to pay for unlisted work.

    ``bonus`` pays a bonus on another assignment; ``another way`` records that a person paid by other means.
    """

    way: Literal["bonus", "another way"]
    why: Annotated[Text, Field(min_length=1, max_length=1000, pattern=r"\S")]


class Decided(Schema):
    """A submission, and the dollars that will be paid for it, or were paid another way."""

    submission: int
    amount: Decimal


Dollars = Annotated[Decimal, Field(gt=0, le=10**6, decimal_places=2)]


class TopUpIn(Body):
    """The minimum dollars per hour (default: the campaign's).

    ``confirm_spend`` is the total with fees that the caller approves. ``dry_run`` only returns the plan.
    """

    minimum_hourly: Dollars | None = None
    confirm_spend: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] | None = None
    dry_run: DryRun = False


class TopUpOut(Schema):
    """A top-up: the number of bonuses, and their sum without fees (``amount``) and with fees (``total``).

    ``done``: true if the bonuses are now owed, false after a dry run. ``median_seconds``: the median time of a whole
    task, on which the bonuses are based. ``hourly``: dollars per hour at that time. ``problem``: why the budget does
    not allow the top-up, or empty.
    """

    done: bool
    bonuses: int
    amount: Decimal
    total: Decimal
    median_seconds: float
    hourly: Decimal
    minimum_hourly: Decimal
    problem: str


@router.get(
    "/campaigns/{name}/held-payments",
    response=list[HeldOut],
    summary="List submissions whose pay is held until a person decides",
)
def list_held(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    return [one.as_dict() for one in held_work(_campaign_of_spender(request, name))]


@router.post(
    "/campaigns/{name}/held-payments/{int:key}",
    response=Decided,
    summary="Pay a held submission in full or in part, or reject it",
)
def decide_held(request: HttpRequest, name: str, key: int, asked: HeldDecision) -> dict[str, Any]:
    user, found, submission = _submission_to_settle(request, name, key)
    amount = Decimal(0)
    if asked.decision == "pay":
        amount = pay_held(found, submission, amount=asked.amount, why=asked.why, who=user.get_username())
    else:
        require(user, "judge workers", found.collection)
        decide_rejection(submission, why=asked.why, who=user.get_username())
    continue_if_launched(found)
    return {"submission": submission.pk, "amount": amount}


@router.get(
    "/campaigns/{name}/missing-work",
    response=list[MissingOut],
    summary="List unpaid submissions on our page that the crowd never listed",
)
def list_missing(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    return [one.as_dict() for one in missing_work(_campaign_of_spender(request, name))]


@router.post(
    "/campaigns/{name}/missing-work/{int:key}",
    response=Decided,
    summary="Pay by its receipt for a submission that the crowd never listed, once",
)
def pay_for_missing(request: HttpRequest, name: str, key: int, asked: MissingPay) -> dict[str, Any]:
    user, found, submission = _submission_to_settle(request, name, key)
    amount = pay_missing(found, submission, way=asked.way, why=asked.why, by=user)
    continue_if_launched(found)
    return {"submission": submission.pk, "amount": amount}


def _campaign_of_spender(request: HttpRequest, name: str) -> Campaign:
    """Return the campaign if the caller can see it and spend its money."""
    return campaign_for(reader(request), name, "spend money")


def _submission_to_settle(request: HttpRequest, name: str, key: int) -> tuple[Any, Campaign, Submission]:
    """Return the caller, the campaign and the submission."""
    user, found = campaign_to_change(request, name, "spend money")
    return user, found, get_object_or_404(Submission, campaign=found, pk=key)


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
                Guidance("To confirm, send exactly this amount as ", Option("confirm-spend"), "."),
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
