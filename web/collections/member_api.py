from datetime import datetime
from typing import Annotated

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from accounts.roles import Role
from accounts.services import invitations
from pooling.collections import members
from pooling.models import InvitedMember, Membership
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.api.works import Text
from web.collections.pages import membership_or_404
from web.common.access import collection_for

router = Router()


class MemberOut(Schema):
    """A member and their role."""

    id: int
    username: str = Field(alias="user.username")
    role: Role
    since: datetime


class RoleIn(Body):
    """The role to give a person."""

    role: Role


class MemberIn(RoleIn):
    """The account name of a new member, and the role to give them."""

    username: Annotated[Text, Field(min_length=1, max_length=150)]


class InvitationIn(RoleIn):
    """The e-mail address of a person to invite, and the role to give them."""

    email: Annotated[Text, Field(min_length=3, max_length=254)]


class InvitationOut(Schema):
    """An unused invitation."""

    id: int
    email: str = Field(alias="invitation.email")
    role: Role
    invited_at: datetime = Field(alias="invitation.created_at")
    expires_at: datetime = Field(alias="invitation.expires_at")


class NewInvitationOut(InvitationOut):
    """A new invitation. ``link`` is returned only once, and is empty if the invitation was sent by e-mail."""

    mailed: bool
    link: str


@router.get("/collections/{name}/members", response=list[MemberOut], summary="List members by name")
def list_members(request: HttpRequest, name: str) -> QuerySet[Membership]:
    found = collection_for(reader(request), name, "see members")
    return Membership.objects.filter(collection=found).select_related("user").order_by("user__username")


@router.post("/collections/{name}/members", response={201: MemberOut}, summary="Add a person with an account")
def add_member(request: HttpRequest, name: str, asked: MemberIn) -> Status[Membership]:
    user, found = collection_to_change(request, name, "change members", ApiToken.Scope.PEOPLE)
    made = members.add_member(
        collection=found, username=asked.username, role=asked.role, who=user.get_username()
    )
    return Status(201, made)


@router.patch("/collections/{name}/members/{int:key}", response=MemberOut, summary="Change a member's role")
def change_role(request: HttpRequest, name: str, key: int, asked: RoleIn) -> Membership:
    user, found = collection_to_change(request, name, "change members", ApiToken.Scope.PEOPLE)
    member = membership_or_404(found, key)
    if member.role != asked.role:
        members.set_member_role(member=member, role=asked.role, who=user.get_username())
        member.refresh_from_db(fields=["role"])
    return member


@router.delete("/collections/{name}/members/{int:key}", response={204: None}, summary="Remove a member")
def remove_member(request: HttpRequest, name: str, key: int) -> Status[None]:
    user, found = collection_to_change(request, name, "change members", ApiToken.Scope.PEOPLE)
    members.remove_member(member=membership_or_404(found, key), who=user.get_username())
    return Status(204, None)


@router.get(
    "/collections/{name}/invitations",
    response=list[InvitationOut],
    summary="List unused invitations",
)
def list_invitations(request: HttpRequest, name: str) -> QuerySet[InvitedMember]:
    found = collection_for(reader(request), name, "change members")
    return members.open_invitations(found).order_by("pk")


@router.post(
    "/collections/{name}/invitations",
    response={201: NewInvitationOut},
    summary="Invite a person by e-mail; the link is returned only once",
)
def invite(request: HttpRequest, name: str, asked: InvitationIn) -> Status[InvitedMember]:
    user, found = collection_to_change(request, name, "change members", ApiToken.Scope.PEOPLE)
    made = members.invite_member(collection=found, email=asked.email, role=asked.role, invited_by=user)
    mailed = invitations.mail(made, to_what=found.name)
    row = InvitedMember.objects.select_related("invitation").get(invitation=made.invitation)
    row.mailed, row.link = mailed, "" if mailed else made.link  # type: ignore[attr-defined]
    return Status(201, row)


@router.delete(
    "/collections/{name}/invitations/{int:key}", response={204: None}, summary="Revoke an invitation"
)
def withdraw_invitation(request: HttpRequest, name: str, key: int) -> Status[None]:
    user, found = collection_to_change(request, name, "change members", ApiToken.Scope.PEOPLE)
    invited = get_object_or_404(members.open_invitations(found), pk=key)
    members.withdraw_member_invitation(invited=invited, who=user.get_username())
    return Status(204, None)
