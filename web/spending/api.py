"""Spending grants: who may spend how much of the installation's crowd money."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from pooling.collections import spending_grants
from pooling.models import SpendingGrant
from web.api.bodies import Body
from web.api.callers import actor, reader
from web.api.works import Text
from web.spending.pages import ShownGrant, grants_shown_to, person_or_collection, spending_page

router = Router()
Amount = Annotated[Decimal, Field(gt=0, le=10**9, decimal_places=2)]


class GrantOut(Schema):
    """A grant in dollars, fees included. ``left``: dollars that can still be reserved; 0 if it is over or revoked."""

    id: int = Field(alias="grant.pk")
    person: str | None
    collection: str | None
    amount: Decimal = Field(alias="grant.amount")
    reserved: Decimal = Field(alias="of.reserved")
    left: Decimal
    last_day: date = Field(alias="grant.last_day")
    state: Literal["current", "over", "revoked"]
    note: str = Field(alias="grant.note")
    created_at: datetime = Field(alias="grant.created_at")
    created_by: str = Field(alias="grant.created_by")

    @staticmethod
    def resolve_person(shown: ShownGrant) -> str | None:
        return shown.grant.person.get_username() if shown.grant.person else None

    @staticmethod
    def resolve_collection(shown: ShownGrant) -> str | None:
        return shown.grant.collection.name if shown.grant.collection else None


class InstallationOut(Schema):
    """The cap for all campaigns together, in dollars per ``days`` days. ``cap`` and ``left`` are null without one."""

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
    return {
        "grants": page["grants"],
        "installation": page["installation"] if user.is_superuser else None,
    }


@router.post("/spending/grants", response={201: GrantOut}, summary="Create a grant (administrators)")
def grant(request: HttpRequest, asked: GrantIn) -> Status[ShownGrant]:
    user = _calling_administrator(request)
    given: dict[str, Any] = person_or_collection(asked.to, asked.name)
    given |= asked.dict(exclude={"to", "name"})
    made = spending_grants.grant_spending(**given, who=user.get_username())
    return Status(201, _shown_to(user, made))


@router.patch(
    "/spending/grants/{int:key}",
    response=GrantOut,
    summary="Change a grant's amount and last day; repeating the call changes nothing",
)
def change_grant(request: HttpRequest, key: int, asked: ChangedGrantIn) -> ShownGrant:
    user = _calling_administrator(request)
    found = get_object_or_404(SpendingGrant, pk=key)
    spending_grants.change_grant(found, **asked.dict(), who=user.get_username())
    return _shown_to(user, found)


@router.post(
    "/spending/grants/{int:key}/revoke",
    response=GrantOut,
    summary="Revoke a grant; campaigns keep what they have reserved",
)
def revoke_grant(request: HttpRequest, key: int) -> ShownGrant:
    user = _calling_administrator(request)
    found = get_object_or_404(SpendingGrant, pk=key)
    spending_grants.revoke_grant(found, who=user.get_username())
    return _shown_to(user, found)


def _calling_administrator(request: HttpRequest) -> Any:
    user = actor(request, ApiToken.Scope.PEOPLE)
    if not user.is_superuser:
        raise PermissionDenied("Only administrators can grant the right to spend money.")
    return user


def _shown_to(user: Any, grant: SpendingGrant) -> ShownGrant:
    return next(one for one in grants_shown_to(user) if one.grant.pk == grant.pk)
