"""Grant, change and revoke the right to spend the installation's crowd money."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.roles import Role, permits
from config import clock
from config.guidance import Action
from pooling.errors import BadGrant, GrantOver, NotFound
from pooling.models import Collection, Membership, SpendingGrant, SpendingGrantChange

MOST_DOLLARS = Decimal(10**9)
LONGEST_NOTE = 200


def usable_by(user: Any, collection: Collection) -> QuerySet[SpendingGrant]:
    """Return the grants that the person can use in the collection now, sorted by their last day.

    The caller checks whether the person's role includes spending money there.
    """
    theirs = SpendingGrant.objects.filter(Q(person=user) | Q(collection=collection))
    return running(theirs).select_related("person", "collection").order_by("last_day", "pk")


def concern(user: Any) -> bool:
    """Return whether the person is an administrator, has a grant, or has a role that includes spending money."""
    if user.is_superuser:
        return True
    spending = [role for role in Role if permits(role, "spend money")]
    roles = Membership.objects.filter(user=user, role__in=spending).values("pk")
    return roles.union(SpendingGrant.objects.filter(person=user).values("pk")).exists()


def running(grants: QuerySet[SpendingGrant]) -> QuerySet[SpendingGrant]:
    """Return the grants that are neither revoked nor expired."""
    return grants.filter(revoked_at=None, last_day__gte=clock.now().date())


@transaction.atomic
def grant_spending(
    *,
    person: User | None = None,
    collection: Collection | None = None,
    amount: Decimal,
    last_day: date,
    note: str = "",
    who: str,
) -> SpendingGrant:
    """Grant ``amount`` to a person, or to everybody who may spend money in a collection. Raises BadGrant."""
    if (person is None) == (collection is None):
        raise BadGrant(
            "A spending grant is for a person or for a collection.", "Name a person or a collection."
        )
    _check_terms(amount, last_day)
    grant = SpendingGrant.objects.create(
        person=person,
        collection=collection,
        amount=amount,
        last_day=last_day,
        note=note.strip()[:LONGEST_NOTE],
        created_by=who,
    )
    _log_grant_change(grant, f"granted {_terms_in_words(amount, last_day)}", who)
    return grant


@transaction.atomic
def change_grant(grant: SpendingGrant, *, amount: Decimal, last_day: date, who: str) -> None:
    """Change a grant's amount and last day. Without a difference, do nothing. Raises BadGrant, GrantOver."""
    if (grant.amount, grant.last_day) == (amount, last_day):
        return
    _check_terms(amount, last_day)
    if not SpendingGrant.objects.filter(pk=grant.pk, revoked_at=None).update(
        amount=amount, last_day=last_day
    ):
        raise GrantOver("This grant was revoked.", "Create a new grant.")
    grant.refresh_from_db()
    _log_grant_change(grant, f"changed to {_terms_in_words(amount, last_day)}", who)


@transaction.atomic
def revoke_grant(grant: SpendingGrant, *, who: str) -> None:
    """Revoke a grant, so that it cannot fund new commitments. Existing reservations stay. Safe to repeat."""
    if SpendingGrant.objects.filter(pk=grant.pk, revoked_at=None).update(revoked_at=clock.now()):
        _log_grant_change(grant, "revoked", who)
    grant.refresh_from_db()


def grant_named(number: int) -> SpendingGrant:
    """Return the grant with this number. Raises NotFound."""
    found = SpendingGrant.objects.select_related("person", "collection").filter(pk=number).first()
    if found is None:
        raise NotFound(f"There is no spending grant {number}.", Action("spending_grants", lead="List them"))
    return found


def changes_of(grants: Sequence[SpendingGrant]) -> QuerySet[SpendingGrantChange]:
    """Return the logged decisions about these grants, latest first."""
    rows = SpendingGrantChange.objects.filter(grant__in=grants)
    return rows.select_related("grant__person", "grant__collection").order_by("-pk")


def _check_terms(amount: Decimal, last_day: date) -> None:
    if not amount.is_finite() or not 0 < amount <= MOST_DOLLARS or amount != round(amount, 2):
        raise BadGrant(
            f"The amount must be more than $0.00 and at most ${MOST_DOLLARS:,.2f}, with at most two decimals."
        )
    if last_day < clock.now().date():
        raise BadGrant(f"The last day {last_day} is in the past.", "Choose today or later.")


def _terms_in_words(amount: Decimal, last_day: date) -> str:
    return f"${amount:,.2f} until {last_day.isoformat()}"


def _log_grant_change(grant: SpendingGrant, what: str, who: str) -> None:
    SpendingGrantChange.objects.create(grant=grant, what=what, who=who)
