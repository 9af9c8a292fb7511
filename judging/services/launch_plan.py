"""What a launch or a pilot would offer, before it is checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from accounts.models import User
from judging.models import Campaign
from judging.services.cost import Quote
from judging.services.payments import money


@dataclass(frozen=True)
class Plan:
    """What is about to be offered: where, at what cost without repeats, what was agreed to, and by whom.

    ``by`` is None for the operator in the terminal.
    """

    campaign: Campaign
    endpoint: str
    cost: Quote
    confirm_spend: Decimal | None = None
    minimum_hourly: Decimal | None = None
    pilot: bool = False
    placeholder_text: bool = False
    by: User | None = None
    agreed_to: Decimal | None = None

    def agreed(self, amount: Decimal) -> Plan:
        """The same plan, for which this amount was agreed to."""
        return replace(self, agreed_to=amount)

    @property
    def amount(self) -> Decimal:
        """The most that is committed on top of what is committed already."""
        given = self.agreed_to if self.agreed_to is not None else self.confirm_spend
        return self.cost.total if given is None else given

    @property
    def ceiling(self) -> Decimal:
        """The most that the campaign may then have committed in all."""
        total = self.amount + money(self.campaign)["committed"]
        return total if self.campaign.budget is None else min(total, self.campaign.budget)
