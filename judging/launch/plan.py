"""The plan of a launch or a pilot, before it is checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from accounts.models import User
from judging.campaign.cost import Quote, money
from judging.models import Campaign


@dataclass(frozen=True)
class Plan:
    """The terms on which tasks are about to be posted.

    ``cost`` does not include repeats. ``confirm_spend`` is the amount that a person entered; ``agreed_to`` is the
    confirmed amount, set by :meth:`agreed`. ``by`` is None for the operator in the terminal.
    ``accept_weak_screening`` is true if somebody accepts that tasks can be passed without reading.
    """

    campaign: Campaign
    endpoint: str
    cost: Quote
    confirm_spend: Decimal | None = None
    minimum_hourly: Decimal | None = None
    pilot: bool = False
    placeholder_text: bool = False
    accept_weak_screening: bool = False
    by: User | None = None
    agreed_to: Decimal | None = None

    @property
    def accepted_words(self) -> str:
        """The words that end the log entry if weak screening was accepted; otherwise empty."""
        return "; weak screening accepted" if self.accept_weak_screening else ""

    @property
    def units(self) -> str:
        """The plural noun for what workers judge: "passages" in a graded campaign, otherwise "pairs"."""
        return "passages" if self.campaign.grades else "pairs"

    def agreed(self, amount: Decimal) -> Plan:
        """Return a copy of the plan with ``amount`` as the confirmed amount."""
        return replace(self, agreed_to=amount)

    @property
    def amount(self) -> Decimal:
        """The maximum in dollars that this plan adds to the amount already committed."""
        given = self.agreed_to if self.agreed_to is not None else self.confirm_spend
        return self.cost.total if given is None else given

    @property
    def ceiling(self) -> Decimal:
        """The maximum in dollars that the campaign can have committed in all after the launch, within its budget."""
        total = self.amount + money(self.campaign)["committed"]
        return total if self.campaign.budget is None else min(total, self.campaign.budget)
