"""What judging costs, before anything is spent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from judging.crowds import crowd_at
from judging.models import Campaign
from judging.packing import task_count


@dataclass(frozen=True)
class Quote:
    """Tasks (one place each) and dollars."""

    tasks: int
    reward: Decimal
    fee: Decimal

    @property
    def total(self) -> Decimal:
        """Rewards and fees together."""
        return self.reward + self.fee


def quote(campaign: Campaign, pair_count: int, judgments: int = 1) -> Quote:
    """The cost of ``judgments`` judgments of each of ``pair_count`` pairs, without repeats."""
    return quote_tasks(campaign, task_count(pair_count, campaign.pairs_per_task, judgments))


def quote_tasks(campaign: Campaign, tasks: int) -> Quote:
    """The cost of this many tasks."""
    fee = crowd_at(campaign.crowd, campaign.endpoint).fees.on(campaign.reward)
    return Quote(tasks, tasks * campaign.reward, tasks * fee)
