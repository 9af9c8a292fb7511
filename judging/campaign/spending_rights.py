"""Spending rights for the installation's crowd money: grants, their remaining amounts, and the installation's cap."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet, Sum
from django.db.models.expressions import Combinable

from accounts.models import User
from accounts.services.administrators import whom_to_ask
from config import clock
from judging.models import Reservation
from judging.rules.pay import rounded
from pooling.collections.spending_grants import usable_by
from pooling.models import Collection, SpendingGrant

NOTHING = Decimal(0)


@dataclass(frozen=True)
class GrantLeft:
    """A grant and the dollars that campaigns have reserved against it."""

    grant: SpendingGrant
    reserved: Decimal

    @property
    def left(self) -> Decimal:
        """The dollars that can still be reserved while the grant is valid."""
        return max(NOTHING, self.grant.amount - self.reserved)


@dataclass(frozen=True)
class InstallationSpending:
    """The spending that counts against the installation's cap; ``cap`` is None if there is no cap."""

    cap: Decimal | None
    days: int
    reserved: Decimal

    @property
    def left(self) -> Decimal | None:
        """The dollars that all campaigns together can still reserve; None without a cap."""
        return None if self.cap is None else max(NOTHING, self.cap - self.reserved)


@dataclass(frozen=True)
class SpendingRight:
    """A person's right to spend in a collection. ``grants`` are the grants that the person can use there now.

    ``unlimited`` is true for administrators and the operator, whom only the installation's cap limits. ``ask`` names
    the people who can grant more.
    """

    unlimited: bool
    grants: list[GrantLeft]
    installation: InstallationSpending
    ask: str

    @property
    def left(self) -> Decimal | None:
        """The dollars that the person can still reserve; None without a limit."""
        if self.unlimited:
            return self.installation.left
        granted = sum((one.left for one in self.grants), NOTHING)
        return granted if self.installation.left is None else min(granted, self.installation.left)


def spending_right(user: User | None, collection: Collection) -> SpendingRight:
    """Return what a person, or the operator (None), can spend in the collection.

    The caller checks that the person's role allows spending there.
    """
    limited = needs_grant(user)
    return SpendingRight(
        unlimited=not limited,
        grants=grants_left(usable_by(user, collection)) if limited else [],
        installation=installation_spending(),
        ask=whom_to_ask(),
    )


def installation_spending() -> InstallationSpending:
    """Return what counts against the cap: open reservations, and those settled in the last SPENDING_DAYS days."""
    since = clock.now() - timedelta(days=settings.SPENDING_DAYS)
    counted = Reservation.objects.filter(Q(settled_at=None) | Q(settled_at__gt=since))
    return InstallationSpending(settings.SPENDING_CAP or None, settings.SPENDING_DAYS, summed(counted))


def grants_left(grants: Iterable[SpendingGrant]) -> list[GrantLeft]:
    """Return the grants in the same order, with the amount reserved against each."""
    listed = list(grants)
    rows = Reservation.objects.filter(grant__in=listed).values_list("grant").annotate(Sum("amount"))
    reserved = {key: rounded(Decimal(amount)) for key, amount in rows.order_by()}
    return [GrantLeft(one, reserved.get(one.pk, NOTHING)) for one in listed]


def needs_grant(by: User | None) -> bool:
    """Return whether the person needs a grant to spend; administrators and the operator in the terminal do not."""
    return by is not None and not by.is_superuser


def summed(rows: QuerySet[Any], of: Combinable | str = "amount") -> Decimal:
    """Return the sum of ``of`` over the rows, in dollars and rounded to cents."""
    found = rows.aggregate(sum=Sum(of, default=NOTHING))["sum"]
    return rounded(Decimal(found))  # SQLite adds decimals as binary floats
