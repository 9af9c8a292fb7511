"""Spending grants: who may spend how much of the installation's crowd money."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from pooling.models import SpendingGrant
from pooling.services import spending_grants
from web.api.bodies import Body
from web.api.callers import actor, reader
from web.api.works import Text
from web.spending.pages import ShownGrant, grants_shown_to, person_or_collection, spending_page

router = Router()
Amount = Annotated[Decimal, Field(gt=0, le=10**9, decimal_places=2)]


class GrantOut(Schema):
    """A grant in dollars, fees included. ``left``: dollars that can still be reserved; 0 if it is over or revoked."""

    id: int
    person: str | None
    collection: str | None
    amount: Decimal
    reserved: Decimal
    left: Decimal
    last_day: date
    state: Literal["current", "over", "revoked"]
    note: str
    created_at: datetime
    created_by: str


class InstallationOut(Schema):
    """The cap for all campaigns together, in dollars per period of days; null if none is set."""

    cap: Decimal | None
    days: int
    reserved: Decimal
    left: Decimal | None


class SpendingOut(Schema):
    """The grants that the caller can see; ``installation`` is for administrators, who need no grant."""

    grants: list[GrantOut]
    installation: InstallationOut | None


class ChangedGrantIn(Body):
    """The amount and the last day (UTC) on which it can be used."""

    amount: Amount
    last_day: date


class GrantIn(ChangedGrantIn):
    """A new grant, for a person or for everybody whose role in a collection includes spending money."""

    to: Literal["person", "collection"]
    name: Annotated[Text, Field(min_length=1, max_length=150)]
    note: Annotated[Text, Field(max_length=spending_grants.LONGEST_NOTE)] = ""


@router.get(
    "/spending", response=SpendingOut, summary="List the caller's spending grants; administrators see all"
)
def read_spending(request: HttpRequest) -> dict[str, Any]:
    user = reader(request)
    page = spending_page(user)
    spending = page["installation"]
    of_installation = {name: getattr(spending, name) for name in ("cap", "days", "reserved", "left")}
    return {
        "grants": [_shown_grant_out(one) for one in page["grants"]],
        "installation": of_installation if user.is_superuser else None,
    }


@router.post("/spending/grants", response={201: GrantOut}, summary="Create a grant (administrators)")
def grant(request: HttpRequest, asked: GrantIn) -> Status[dict[str, Any]]:
    user = _calling_administrator(request)
    given: dict[str, Any] = person_or_collection(asked.to, asked.name)
    given |= asked.dict(exclude={"to", "name"})
    made = spending_grants.grant_spending(**given, who=user.get_username())
    return Status(201, _grant_out(user, made))


@router.patch(
    "/spending/grants/{int:key}",
    response=GrantOut,
    summary="Change a grant's amount and last day; repeating the call changes nothing",
)
def change_grant(request: HttpRequest, key: int, asked: ChangedGrantIn) -> dict[str, Any]:
    user = _calling_administrator(request)
    found = get_object_or_404(SpendingGrant, pk=key)
    spending_grants.change_grant(found, **asked.dict(), who=user.get_username())
    return _grant_out(user, found)


@router.post(
    "/spending/grants/{int:key}/revoke",
    response=GrantOut,
    summary="Revoke a grant; campaigns keep what they have reserved",
)
def revoke_grant(request: HttpRequest, key: int) -> dict[str, Any]:
    user = _calling_administrator(request)
    found = get_object_or_404(SpendingGrant, pk=key)
    spending_grants.revoke_grant(found, who=user.get_username())
    return _grant_out(user, found)


def _calling_administrator(request: HttpRequest) -> Any:
    user = actor(request, ApiToken.Scope.PEOPLE)
    if not user.is_superuser:
        raise PermissionDenied("Only administrators can grant the right to spend money.")
    return user


def _grant_out(user: Any, grant: SpendingGrant) -> dict[str, Any]:
    return next(_shown_grant_out(one) for one in grants_shown_to(user) if one.grant.pk == grant.pk)


def _shown_grant_out(one: ShownGrant) -> dict[str, Any]:
    grant = one.grant
    same = ("amount", "last_day", "note", "created_at", "created_by")
    return {name: getattr(grant, name) for name in same} | {
        "id": grant.pk,
        "person": grant.person.get_username() if grant.person else None,
        "collection": grant.collection.name if grant.collection else None,
        "reserved": one.of.reserved,
        "left": one.left,
        "state": one.state,
    }
