"""The cost of judging: quotes before anything is spent, and the money committed so far."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import F, Q, Sum

from judging.campaign.shared_figures import kept_while_reading
from judging.crowds import crowd_at
from judging.models import Campaign, Payment, Place
from judging.rules.pay import Pay, pay_of, rounded


@dataclass(frozen=True)
class Quote:
    """The cost in dollars of a number of tasks, each done once."""

    tasks: int
    reward: Decimal  # base rewards plus full bonuses
    fee: Decimal

    @property
    def total(self) -> Decimal:
        """Rewards and fees together."""
        return self.reward + self.fee


def pay_for(campaign: Campaign) -> Pay:
    return pay_of(campaign.reward, campaign.base_reward, split=campaign.pay == Campaign.Pay.SPLIT)


def quote_tasks(campaign: Campaign, tasks: int) -> Quote:
    return quote_pay(pay_for(campaign), tasks, crowd=campaign.crowd, endpoint=campaign.endpoint)


def quote_pay(pay: Pay, tasks: int, *, crowd: str = "mturk", endpoint: str = "") -> Quote:
    """Return the cost, with the crowd's fees, of ``tasks`` tasks at this pay; no campaign has to exist yet."""
    fees = crowd_at(crowd, endpoint).fees
    return Quote(tasks, tasks * pay.whole, tasks * (fees.on(pay.base) + fees.on(pay.bonus)))


@kept_while_reading
def tasks_asked(campaign: Campaign) -> int:
    """Return the number of the campaign's tasks."""
    return campaign.tasks.count()


@kept_while_reading
def money(campaign: Campaign) -> dict[str, Decimal]:
    """Return the campaign's money in dollars, fees included, by its status.

    ``spent`` is paid, ``owed`` is still to be paid, ``held`` waits for a decision, and ``promised`` is the cost of
    all live places. ``committed`` is the sum of the four.
    """
    payments = Payment.objects.filter(submission__campaign=campaign)
    sums = payments.aggregate(
        spent=Sum(F("amount") + F("fee"), filter=Q(state=Payment.State.PAID), default=Decimal(0)),
        owed=Sum(F("amount") + F("fee"), filter=Q(state=Payment.State.OWED), default=Decimal(0)),
        held=Sum(F("amount") + F("fee"), filter=Q(state=Payment.State.HELD), default=Decimal(0)),
    )
    live = Place.objects.filter(posting__campaign=campaign, state__in=Place.LIVE).count()
    sums = {name: rounded(Decimal(value)) for name, value in sums.items()}  # SQLite adds binary floats
    promised = quote_tasks(campaign, live).total
    return {**sums, "promised": promised, "committed": sum(sums.values(), promised)}
