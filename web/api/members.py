"""Members of a collection and invitations into it: listed, added, given another role, taken off."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken, Invitation
from accounts.roles import Role
from accounts.services import invitations
from pooling.models import Collection, InvitedMember, Membership
from pooling.services import members
from web.access import collection_for, require
from web.api.bodies import Body
from web.api.callers import actor, reader
from web.api.works import Text

router = Router()


class MemberOut(Schema):
    """Somebody and what they are in the collection."""

    id: int
    username: str
    role: Role
    since: datetime


class RoleIn(Body):
    """What somebody is to be."""

    role: Role


class MemberIn(RoleIn):
    """Somebody who has an account here, by its name."""

    username: Annotated[Text, Field(min_length=1, max_length=150)]


class InvitationIn(RoleIn):
    """Somebody who has no account yet, by an e-mail address."""

    email: Annotated[Text, Field(min_length=3, max_length=254)]


class InvitationOut(Schema):
    """An invitation that nobody has used yet."""

    id: int
    email: str
    role: Role
    invited_at: datetime
    expires_at: datetime


class NewInvitationOut(InvitationOut):
    """An invitation that was just made. ``link`` is in this answer alone, and empty when it was sent by e-mail."""

    mailed: bool
    link: str


@router.get("/collections/{name}/members", response=list[MemberOut], summary="Members, by name")
def list_members(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    found = collection_for(user := reader(request), name)
    require(user, "see members", found)
    rows = Membership.objects.filter(collection=found).select_related("user").order_by("user__username")
    return [_member(row) for row in rows]


@router.post(
    "/collections/{name}/members", response={201: MemberOut}, summary="Make somebody with an account a member"
)
def add_member(request: HttpRequest, name: str, asked: MemberIn) -> Status[dict[str, Any]]:
    user, found = _owned(request, name)
    made = members.add_member(
        collection=found, username=asked.username, role=asked.role, who=user.get_username()
    )
    return Status(201, _member(made))


@router.patch("/collections/{name}/members/{int:key}", response=MemberOut, summary="Give another role")
def change_role(request: HttpRequest, name: str, key: int, asked: RoleIn) -> dict[str, Any]:
    user, found = _owned(request, name)
    member = _member_of(found, key)
    if member.role != asked.role:
        members.change_role(member=member, role=asked.role, who=user.get_username())
        member.refresh_from_db(fields=["role"])
    return _member(member)


@router.delete(
    "/collections/{name}/members/{int:key}", response={204: None}, summary="Take a member off the list"
)
def remove_member(request: HttpRequest, name: str, key: int) -> Status[None]:
    user, found = _owned(request, name)
    members.remove_member(member=_member_of(found, key), who=user.get_username())
    return Status(204, None)


@router.get(
    "/collections/{name}/invitations",
    response=list[InvitationOut],
    summary="Invitations that nobody has used yet",
)
def list_invitations(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    found = collection_for(user := reader(request), name)
    require(user, "change members", found)
    return [_invited(row) for row in members.open_invitations(found).order_by("pk")]


@router.post(
    "/collections/{name}/invitations",
    response={201: NewInvitationOut},
    summary="Invite somebody by e-mail; the link is in this answer alone",
)
def invite(request: HttpRequest, name: str, asked: InvitationIn) -> Status[dict[str, Any]]:
    user, found = _owned(request, name)
    made = members.invite_member(collection=found, email=asked.email, role=asked.role, invited_by=user)
    mailed = invitations.mail(made, to_what=found.name)
    row = InvitedMember.objects.select_related("invitation").get(invitation=made.invitation)
    return Status(201, _invited(row) | {"mailed": mailed, "link": "" if mailed else made.link})


@router.delete(
    "/collections/{name}/invitations/{int:key}", response={204: None}, summary="Make its link useless"
)
def withdraw_invitation(request: HttpRequest, name: str, key: int) -> Status[None]:
    user, found = _owned(request, name)
    invited = get_object_or_404(members.open_invitations(found), pk=key)
    members.withdraw_invitation(invited=invited, who=user.get_username())
    return Status(204, None)


def _owned(request: HttpRequest, name: str) -> tuple[Any, Collection]:
    """Who calls, and the collection whose members this person decides about."""
    user = actor(request, ApiToken.Scope.PEOPLE)
    found = collection_for(user, name)
    require(user, "change members", found)
    return user, found


def _member_of(collection: Collection, key: int) -> Membership:
    rows = Membership.objects.select_related("user", "collection")
    return get_object_or_404(rows, collection=collection, pk=key)


def _member(row: Membership) -> dict[str, Any]:
    return {"id": row.pk, "username": row.user.get_username(), "role": row.role, "since": row.since}


def _invited(row: InvitedMember) -> dict[str, Any]:
    of: Invitation = row.invitation
    times = {"invited_at": of.created_at, "expires_at": of.expires_at}
    return {"id": row.pk, "email": of.email, "role": row.role} | times
