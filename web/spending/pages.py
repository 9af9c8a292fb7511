"""Spending grants for pages and the API: administrators see all, others their own."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.roles import permits
from accounts.services.administrators import whom_to_ask
from accounts.services.user_lookup import person_named
from config import clock
from judging.campaign.spending_rights import GrantLeft, grants_left, installation_spending
from pooling.collections.lookups import collection_named
from pooling.collections.members import roles_of
from pooling.collections.spending_grants import changes_of
from pooling.models import Collection, SpendingGrant

CHANGES_SHOWN = 50


@dataclass(frozen=True)
class ShownGrant:
    """A grant, what is left of it, and whether it can be used."""

    of: GrantLeft
    today: date

    @property
    def grant(self) -> SpendingGrant:
        return self.of.grant

    @property
    def state(self) -> str:
        """``current``, ``over`` or ``revoked``."""
        if self.grant.revoked_at is not None:
            return "revoked"
        return "current" if self.grant.last_day >= self.today else "over"

    @property
    def left(self) -> Decimal:
        """The dollars that can still be reserved."""
        return self.of.left if self.state == "current" else Decimal(0)


def grants_shown_to(user: Any) -> list[ShownGrant]:
    """Return the grants that the person can see, usable grants first."""
    rows = _visible_grants(user).select_related("person", "collection").order_by("-pk")
    today = clock.now().date()
    shown = [ShownGrant(one, today) for one in grants_left(rows)]
    return sorted(shown, key=lambda one: one.state != "current")


def _visible_grants(user: Any) -> QuerySet[SpendingGrant]:
    if not user.is_authenticated or not user.is_active:
        return SpendingGrant.objects.none()
    if user.is_superuser:
        return SpendingGrant.objects.all()
    able = [key for key, role in roles_of(user).items() if permits(role, "spend money")]
    return SpendingGrant.objects.filter(Q(person=user) | Q(collection__in=able))


def spending_page(user: Any) -> dict[str, Any]:
    grants = grants_shown_to(user)
    return {
        "grants": grants,
        "may_grant": user.is_superuser,
        "installation": installation_spending(),
        "ask": whom_to_ask(),
        "changes": list(changes_of([one.grant for one in grants])[:CHANGES_SHOWN]),
    }


def person_or_collection(kind: str, name: str) -> dict[str, User | Collection]:
    """Return the grant's person or collection as the service's arguments. Raises NotAnAccount, NotFound."""
    if kind == "collection":
        return {"collection": collection_named(name)}
    return {"person": person_named(name)}
