"""Make up for pay that turned out too low: the difference to the promised hourly pay, as bonuses."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from accounts.models import User
from config.plurals import many
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, Choice, Payment, Submission
from judging.pay import at_least, hourly, rounded, shortfall
from judging.services.budget import beyond_cap
from judging.services.campaigns import log
from judging.services.cost import pay_for
from judging.services.freshness import kept
from judging.services.hourly import seconds_of_tasks
from judging.services.payments import money, owe_top_up
from judging.services.reserving import reserve, take_turn


@dataclass(frozen=True)
class TopUp:
    """What a top-up owes: dollars by submission key; the median time in seconds it rests on; dollars an hour."""

    owed: dict[int, Decimal]
    median_seconds: float
    hourly: Decimal
    minimum_hourly: Decimal
    fees: Decimal

    @property
    def amount(self) -> Decimal:
        """Dollars without fees."""
        return sum(self.owed.values(), Decimal(0))

    @property
    def median_minutes(self) -> float:
        """The median time, in minutes."""
        return self.median_seconds / 60

    @property
    def total(self) -> Decimal:
        """Dollars with fees."""
        return self.amount + self.fees


def foreseen_top_up(campaign: Campaign, minimum_hourly: Decimal | None = None) -> TopUp:
    """What :func:`plan_top_up` says, for a look: with the times of tasks as they were counted a moment ago."""
    times = kept(campaign, "seconds-of-tasks", lambda: seconds_of_tasks(campaign)).made
    return plan_top_up(campaign, minimum_hourly, times=times)


def plan_top_up(
    campaign: Campaign, minimum_hourly: Decimal | None = None, *, times: list[float] | None = None
) -> TopUp:
    """What everybody lacks to ``minimum_hourly`` (default: the campaign's own), going by the median time.

    ``times`` of whole tasks in seconds: counted now when they are not given.

    A submission of some of the pairs gets its share. What was topped up before is taken into account, so that
    a second run owes only what is new. Raises CampaignRefused without a minimum or without any time.
    """
    minimum = minimum_hourly if minimum_hourly is not None else campaign.minimum_hourly
    if minimum is None or minimum <= 0:
        raise BadInput("Say which hourly pay is the least: --minimum-hourly DOLLARS.")
    if not (seconds := seconds_of_tasks(campaign) if times is None else times):
        raise CampaignRefused(
            f"No worker who counts has done a whole task of {campaign.name} yet, so its time is not known.",
            "Excluded and simulated workers do not count.",
        )
    typical, pay, fees = median(seconds), pay_for(campaign), crowd_for(campaign).fees
    lacking = shortfall(pay.whole, typical, minimum)
    owed = _lacking_by_submission(campaign, lacking) if lacking else {}
    total_fees = sum((fees.on(amount) for amount in owed.values()), Decimal(0))
    return TopUp(owed, typical, hourly(pay.whole, typical), minimum, total_fees)


def beyond_budget(campaign: Campaign, plan: TopUp) -> CampaignRefused | None:
    """Why the campaign cannot pay for the plan; None when it can."""
    return beyond_cap(campaign, plan.total) if plan.owed else None


@transaction.atomic
def top_up(
    campaign: Campaign,
    minimum_hourly: Decimal | None = None,
    *,
    by: User | None = None,
    who: str = "",
    confirmed: Decimal | None = None,
) -> TopUp:
    """Owe everybody what they lack; the next collection pays it. Safe to repeat and to race.

    Of a closed campaign it is reserved anew against what ``by`` may spend (None: the operator). Raises
    CampaignRefused when it goes beyond the budget, or is another total than somebody ``confirmed``; MayNotSpend.
    """
    take_turn()  # so that two at once plan one after the other
    plan = plan_top_up(campaign, minimum_hourly)
    if confirmed is not None and confirmed != plan.total:
        raise CampaignRefused(f"Work came in meanwhile: it is ${plan.total:,.2f} now.", "Look again.")
    if refusal := beyond_budget(campaign, plan):
        raise refusal
    if plan.owed:
        reserve(campaign, money(campaign)["committed"] + plan.total, by=by, who=who)
    words = "Top-up: the task took longer than expected; this brings your pay to"
    for submission in Submission.objects.filter(pk__in=plan.owed):
        cause = str(submission.payments.filter(kind=Payment.Kind.TOP_UP).count() + 1)
        reason = f"{words} ${plan.minimum_hourly:,.2f} an hour."
        owe_top_up(campaign, submission, plan.owed[submission.pk], cause=cause, reason=reason)
    if plan.owed:
        log(
            campaign,
            f"top-up to ${plan.minimum_hourly:,.2f} an hour",
            why=many(len(plan.owed), "bonus", "bonuses"),
            who=by.get_username() if by else who,
        )
    return plan


def _lacking_by_submission(campaign: Campaign, lacking: Decimal) -> dict[int, Decimal]:
    """Submission → its share of ``lacking``, less what it was topped up by before, where that is something.

    Two queries, however much came in.
    """
    earlier = Payment.objects.filter(submission__campaign=campaign, kind=Payment.Kind.TOP_UP)
    sums = earlier.values_list("submission").annotate(Sum("amount")).order_by()
    topped_up = {key: rounded(Decimal(amount)) for key, amount in sums}
    work = _paid_work(campaign).annotate(
        shown=Count("slots"),
        judged=Count("slots", filter=Exists(Choice.objects.filter(slot=OuterRef("slots")))),
    )
    owed: dict[int, Decimal] = {}
    for key, judged, shown in work.values_list("pk", "judged", "shown"):
        share = at_least(lacking * judged / shown) if shown else Decimal(0)
        if (rest := share - topped_up.get(key, Decimal(0))) > 0:
            owed[key] = rest
    return owed


def _paid_work(campaign: Campaign) -> QuerySet[Submission]:
    """What came in and is neither rejected nor held, of workers who can still be paid, so not of forgotten ones."""
    came_in = Submission.objects.filter(
        campaign=campaign, state=Submission.State.SUBMITTED, worker__identity__isnull=False
    )
    unpaid = Payment.objects.filter(
        submission=OuterRef("pk"),
        kind=Payment.Kind.REWARD,
        state__in=[Payment.State.REJECTED, Payment.State.HELD],
    )
    return came_in.exclude(Exists(unpaid)).order_by("pk")
