"""What judging costs, before anything is spent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from judging.crowds import crowd_at
from judging.models import Campaign
from judging.packing import task_count
from judging.pay import Pay, pay_of


@dataclass(frozen=True)
class Quote:
    """Tasks (one place each) and dollars."""

    tasks: int
    reward: Decimal  # base rewards and whole bonuses together
    fee: Decimal

    @property
    def total(self) -> Decimal:
        """Rewards and fees together."""
        return self.reward + self.fee


def pay_for(campaign: Campaign) -> Pay:
    """What a task of the campaign pays."""
    return pay_of(campaign.reward, campaign.base_reward, split=campaign.pay == Campaign.Pay.SPLIT)


def quote(campaign: Campaign, pair_count: int, judgments: int = 1) -> Quote:
    """The cost of ``judgments`` judgments of each of ``pair_count`` pairs, without repeats."""
    return quote_tasks(campaign, task_count(pair_count, campaign.pairs_per_task, judgments))


def quote_tasks(campaign: Campaign, tasks: int) -> Quote:
    """The cost of this many tasks."""
    return quote_pay(pay_for(campaign), tasks, crowd=campaign.crowd, endpoint=campaign.endpoint)


def quote_pay(pay: Pay, tasks: int, *, crowd: str = "mturk", endpoint: str = "") -> Quote:
    """The cost of this many tasks at this pay, with the crowd's fees; for a campaign that need not be there yet."""
    fees = crowd_at(crowd, endpoint).fees
    return Quote(tasks, tasks * pay.whole, tasks * (fees.on(pay.base) + fees.on(pay.bonus)))
