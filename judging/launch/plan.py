"""The plan of a launch or a pilot, before it is checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from accounts.models import User
from judging.campaign.cost import Quote, money
from judging.models import Campaign


@dataclass(frozen=True)
class Plan:
    """The tasks about to be posted: where, at what cost without repeats, for which confirmed amount, and by whom.

    ``by`` is None for the operator in the terminal. ``accept_weak_screening``: somebody accepts that tasks can be
    passed without reading.
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
        """The log entry for accepted weak screening; empty if it was not accepted."""
        return "; weak screening accepted" if self.accept_weak_screening else ""

    @property
    def units(self) -> str:
        """What workers judge, in words."""
        return "passages" if self.campaign.grades else "pairs"

    def agreed(self, amount: Decimal) -> Plan:
        """Return the same plan with this confirmed amount."""
        return replace(self, agreed_to=amount)

    @property
    def amount(self) -> Decimal:
        """The maximum that this plan commits on top of the committed amount."""
        given = self.agreed_to if self.agreed_to is not None else self.confirm_spend
        return self.cost.total if given is None else given

    @property
    def ceiling(self) -> Decimal:
        """The maximum total that the campaign has committed once this plan is carried out."""
        total = self.amount + money(self.campaign)["committed"]
        return total if self.campaign.budget is None else min(total, self.campaign.budget)
