"""Top up pay that turned out too low, with bonuses that make up the difference to the minimum hourly pay."""

from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from accounts.models import User
from config.guidance import Guidance, Option
from config.plurals import many
from judging.campaign.campaigns import log_change
from judging.campaign.cost import money, pay_for
from judging.campaign.hourly_pay import seconds_of_tasks
from judging.campaign.reservations import lock_commitments, reserve, take_turn
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused
from judging.exchange.cached_figures import kept_figures
from judging.models import Campaign, Choice, Payment, Submission
from judging.money.budget import beyond_cap
from judging.money.payments import owe_top_up
from judging.rules.pay import at_least, hourly, rounded, shortfall


@dataclass(frozen=True)
class TopUp:
    """A planned top-up.

    ``owed`` maps submission keys to dollars. ``hourly`` is the current pay at the median time, and ``minimum_hourly``
    the pay to reach, both in dollars. ``fees`` are the crowd's fees on the total.
    """

    owed: dict[int, Decimal]
    median_seconds: float
    hourly: Decimal
    minimum_hourly: Decimal
    fees: Decimal

    @property
    def amount(self) -> Decimal:
        """The total in dollars, without fees."""
        return sum(self.owed.values(), Decimal(0))

    @property
    def median_minutes(self) -> float:
        """The median time of a whole task, in minutes."""
        return self.median_seconds / 60

    @property
    def total(self) -> Decimal:
        """The total in dollars, with fees."""
        return self.amount + self.fees


def foreseen_top_up(campaign: Campaign, minimum_hourly: Decimal | None = None) -> TopUp:
    """Return the plan of :func:`plan_top_up`, computed from cached task times."""
    times = kept_figures(campaign, "seconds-of-tasks", lambda: seconds_of_tasks(campaign)).made
    return plan_top_up(campaign, minimum_hourly, times=times)


def plan_top_up(
    campaign: Campaign, minimum_hourly: Decimal | None = None, *, times: list[float] | None = None
) -> TopUp:
    """Plan bonuses that bring pay up to ``minimum_hourly`` (default: the campaign's) for a task of median time.

    ``times`` are the seconds that whole tasks took, computed now if not given.

    A submission gets the share for its judged pairs. Earlier top-ups are deducted, so a repeated plan contains only
    new amounts. Raises BadInput without a minimum, and CampaignRefused if no time was measured.
    """
    minimum = minimum_hourly if minimum_hourly is not None else campaign.minimum_hourly
    if minimum is None or minimum <= 0:
        raise BadInput(
            "The minimum hourly pay is missing.", Guidance("Add ", Option("minimum-hourly"), " DOLLARS.")
        )
    if not (seconds := seconds_of_tasks(campaign) if times is None else times):
        raise CampaignRefused(
            f"No worker has completed a whole task of {campaign.name} yet, so the time per task is unknown.",
            "Excluded and simulated workers are not counted.",
        )
    typical, pay, fees = median(seconds), pay_for(campaign), crowd_for(campaign).fees
    lacking = shortfall(pay.whole, typical, minimum)
    owed = _lacking_by_submission(campaign, lacking) if lacking else {}
    total_fees = sum((fees.on(amount) for amount in owed.values()), Decimal(0))
    return TopUp(owed, typical, hourly(pay.whole, typical), minimum, total_fees)


def top_up_beyond_budget(campaign: Campaign, plan: TopUp) -> CampaignRefused | None:
    """Return the refusal to raise if the plan exceeds the campaign's cap, otherwise None."""
    return beyond_cap(campaign, plan.total) if plan.owed else None


@transaction.atomic
def owe_top_ups(
    campaign: Campaign,
    minimum_hourly: Decimal | None = None,
    *,
    by: User | None = None,
    who: str = "",
    confirmed: Decimal | None = None,
) -> TopUp:
    """Record the top-ups of :func:`plan_top_up` as owed; the next collection pays them.

    Safe to call concurrently. Dollars that are not reserved yet are reserved against what ``by`` can spend (None: the
    operator). Raises MayNotSpend, and CampaignRefused if the total with fees is over the budget or differs from
    ``confirmed``.
    """
    take_turn()  # so that concurrent top-ups are planned one after the other
    lock_commitments(campaign)
    plan = plan_top_up(campaign, minimum_hourly)
    if confirmed is not None and confirmed != plan.total:
        raise CampaignRefused(
            f"The top-up is now ${plan.total:,.2f}, not ${confirmed:,.2f}.",
            "Check the new amount and confirm it.",
        )
    if refusal := top_up_beyond_budget(campaign, plan):
        raise refusal
    if plan.owed:
        reserve(campaign, money(campaign)["committed"] + plan.total, by=by, who=who)
    words = "Top-up: the task took longer than expected; this brings your pay to"
    for submission in Submission.objects.filter(pk__in=plan.owed):
        cause = str(submission.payments.filter(kind=Payment.Kind.TOP_UP).count() + 1)
        reason = f"{words} ${plan.minimum_hourly:,.2f} an hour."
        owe_top_up(campaign, submission, plan.owed[submission.pk], cause=cause, reason=reason)
    if plan.owed:
        log_change(
            campaign,
            f"top-up to ${plan.minimum_hourly:,.2f} an hour",
            why=many(len(plan.owed), "bonus", "bonuses"),
            who=by.get_username() if by else who,
        )
    return plan


def _lacking_by_submission(campaign: Campaign, lacking: Decimal) -> dict[int, Decimal]:
    """Map submission keys to the dollars that each submission still lacks.

    A submission lacks its share of ``lacking`` (dollars per whole task), less earlier top-ups. As for all pay, pairs
    that the worker continued in a later submission count only there. Submissions that lack nothing are left out.
    Makes two queries, however many submissions there are.
    """
    earlier = Payment.objects.filter(submission__campaign=campaign, kind=Payment.Kind.TOP_UP)
    sums = earlier.values_list("submission").annotate(Sum("amount")).order_by()
    topped_up = {key: rounded(Decimal(amount)) for key, amount in sums}
    made = Choice.objects.filter(slot=OuterRef("slots"))
    work = _paid_work(campaign).annotate(
        shown=Count("slots"),
        judged=Count("slots", filter=Q(Exists(made), slots__given_back=False)),
    )
    owed: dict[int, Decimal] = {}
    for key, judged, shown in work.values_list("pk", "judged", "shown"):
        share = at_least(lacking * judged / shown) if shown else Decimal(0)
        if (rest := share - topped_up.get(key, Decimal(0))) > 0:
            owed[key] = rest
    return owed


def _paid_work(campaign: Campaign) -> QuerySet[Submission]:
    """Return submissions whose pay for judged pairs is neither rejected nor held.

    Those of forgotten workers are left out.
    """
    came_in = Submission.objects.filter(
        campaign=campaign, state=Submission.State.SUBMITTED, worker__identity__isnull=False
    )
    unpaid = Payment.objects.filter(
        submission=OuterRef("pk"), state__in=[Payment.State.REJECTED, Payment.State.HELD]
    ).exclude(cause=Payment.CLAIMED)
    return came_in.exclude(Exists(unpaid)).order_by("pk")
