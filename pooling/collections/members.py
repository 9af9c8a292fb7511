"""Manage the members of collections, and look up their roles and permissions."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import CharField, F, Q, QuerySet, Value

from accounts.models import Invitation, User
from accounts.roles import Role, permits
from accounts.services import invitations
from accounts.services.invitations import Invited
from accounts.services.user_lookup import person_named
from config import clock
from pooling.errors import MembersRefused
from pooling.models import Collection, CollectionChange, InvitedMember, Membership, Team, TeamMember

NO_OWNER = MembersRefused(
    "This would leave the collection without an owner.", "Make somebody else an owner first."
)


def role_of(user: Any, collection: Collection) -> Role | None:
    """Return the person's role in the collection; an administrator of the installation is an owner everywhere."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.OWNER
    role = Membership.objects.filter(user=user, collection=collection).values_list("role", flat=True).first()
    if role is not None:
        return Role(role)
    submits = TeamMember.objects.filter(user=user, collection=collection).exists()
    return Role.SUBMITTER if submits else None


def roles_of(user: Any) -> dict[int, Role]:
    """Return primary key → role for the collections in which the person has a role."""
    if not user.is_authenticated or not user.is_active:
        return {}
    if user.is_superuser:
        return dict.fromkeys(Collection.objects.values_list("pk", flat=True), Role.OWNER)
    submitter = Value(Role.SUBMITTER.value, output_field=CharField())
    submits = TeamMember.objects.filter(user=user).values_list("collection", submitter)
    rows = submits.union(Membership.objects.filter(user=user).values_list("collection", "role"), all=True)
    # A member's role comes last and replaces that of a submitter, whose permissions it includes.
    return {
        collection: Role(role) for collection, role in sorted(rows, key=lambda row: row[1] != Role.SUBMITTER)
    }


def may(user: Any, action: str, collection: Collection) -> bool:
    """Return whether the person has this permission in the collection (accounts.roles has the table)."""
    return permits(role_of(user, collection), action)


def sees(user: Any, collection: Collection) -> bool:
    return collection.visibility == Collection.Visibility.PUBLISHED or role_of(user, collection) is not None


def sees_results(user: Any, collection: Collection) -> bool:
    """Return whether the person sees released runs, labels and leaderboards of a collection that they can see.

    Assessors of a private collection do not, unless they also submit runs: the results would bias their grades.
    """
    published = collection.visibility == Collection.Visibility.PUBLISHED
    return published or visible_to(user, results=True).filter(pk=collection.pk).exists()


def visible_to(user: Any, *, results: bool = False) -> QuerySet[Collection]:
    """Return the published collections, and those in which this person is a member or submitter.

    ``results``: only those whose results the person sees (:func:`sees_results`). Administrators see all collections.
    """
    if user.is_authenticated and user.is_superuser:
        return Collection.objects.all()
    published = Q(visibility=Collection.Visibility.PUBLISHED)
    if not user.is_authenticated:
        return Collection.objects.filter(published)
    roles = [role for role in Role if not results or permits(role, "see results")]
    mine = Membership.objects.filter(user=user, role__in=roles).values("collection")
    submits = TeamMember.objects.filter(user=user).values("collection")
    return Collection.objects.filter(published | Q(pk__in=mine) | Q(pk__in=submits))


def joined_by(user: Any) -> QuerySet[Collection]:
    """Return the collections in which the person can see everything as a member; for administrators, all."""
    if not user.is_authenticated:
        return Collection.objects.none()
    if user.is_superuser:
        return Collection.objects.all()
    seeing = [role for role in Role if permits(role, "see everything")]
    mine = Membership.objects.filter(user=user, role__in=seeing)
    return Collection.objects.filter(pk__in=mine.values("collection"))


def log(collection: Collection, what: str, *, who: str = "") -> None:
    """Log a decision about the collection."""
    CollectionChange.objects.create(collection=collection, what=what, who=who)


def add_member(*, collection: Collection, username: str, role: Role, who: str) -> Membership:
    """Add a person with an account as a member. Raises NotAnAccount, MembersRefused."""
    _refuse_submitter(role)
    user = person_named(username)
    try:
        with transaction.atomic():
            member = Membership.objects.create(collection=collection, user=user, role=role)
            log(collection, f"{username} added as {role.words}", who=who)
    except IntegrityError:
        raise MembersRefused(
            f"{username} is already a member.", "Change their role in the list of members."
        ) from None
    return member


def set_member_role(*, member: Membership, role: Role, who: str) -> None:
    """Change a member's role. Raises MembersRefused if no owner would be left."""
    _refuse_submitter(role)
    with transaction.atomic():
        _lock_collection(member.collection)
        if role != Role.OWNER:
            _refuse_last_owner(member)
            _withdraw_invitations_by(member.user, member.collection, who=who)
        Membership.objects.filter(pk=member.pk).update(role=role)
        log(member.collection, f"{member.user.get_username()} is now {role.words}", who=who)


def remove_member(*, member: Membership, who: str) -> None:
    """Remove a member. Raises MembersRefused if no owner would be left."""
    with transaction.atomic():
        _lock_collection(member.collection)
        _refuse_last_owner(member)
        _withdraw_invitations_by(member.user, member.collection, who=who)
        member.delete()
        log(member.collection, f"{member.user.get_username()} removed", who=who)


def transfer_ownership(*, member: Membership, by: User) -> None:
    """Make the member an owner, and the acting owner a maintainer."""
    with transaction.atomic():
        _lock_collection(member.collection)
        Membership.objects.filter(pk=member.pk).update(role=Role.OWNER)
        others = Membership.objects.filter(collection=member.collection, user=by).exclude(pk=member.pk)
        if others.update(role=Role.MAINTAINER):
            _withdraw_invitations_by(by, member.collection, who=by.get_username())
        log(member.collection, f"handed over to {member.user.get_username()}", who=by.get_username())


def set_visibility(*, collection: Collection, visibility: str, who: str) -> None:
    """Show the collection to everybody, or to its members only."""
    with transaction.atomic():
        changed = Collection.objects.filter(pk=collection.pk).exclude(visibility=visibility)
        if changed.update(visibility=visibility):
            public = visibility == Collection.Visibility.PUBLISHED
            log(collection, "published to everybody" if public else "made private", who=who)
    collection.refresh_from_db(fields=["visibility"])


def invite_member(
    *, collection: Collection, email: str, role: Role, invited_by: User | None, team: Team | None = None
) -> Invited:
    """Invite somebody to the collection by e-mail, or a submitter to ``team``. Raises NotAnAccount, MembersRefused.

    The new invitation replaces earlier ones of the collection or team to this address. So if a form is sent twice,
    only one link works.
    """
    if team is None:
        _refuse_submitter(role)
    who = invited_by.get_username() if invited_by else ""
    with transaction.atomic():
        _lock_collection(collection)
        for earlier in open_invitations(collection).filter(team=team, invitation__email__iexact=email):
            withdraw_member_invitation(invited=earlier, who=who)
        invited = invitations.create_invitation(email=email, invited_by=invited_by)
        InvitedMember.objects.create(
            collection=collection, invitation=invited.invitation, role=role, team=team
        )
        where = f" for {team.name}" if team else ""
        log(collection, f"{email} invited as {role.words}{where}"[:300], who=who)
    return invited


def invite_without_role(*, email: str, administrator: bool = False) -> Invited:
    """Invite somebody to the installation only. The new invitation replaces earlier ones of the same kind."""
    with transaction.atomic():
        open_ones = Invitation.objects.open(clock.now())
        earlier = open_ones.filter(email__iexact=email, administrator=administrator)
        for invitation in earlier.exclude(pk__in=InvitedMember.objects.values("invitation")):
            invitations.void_invitation(invitation)
        return invitations.create_invitation(email=email, invited_by=None, administrator=administrator)


def _refuse_submitter(role: Role) -> None:
    if role is Role.SUBMITTER:
        raise MembersRefused(
            "Submitters join a team and are not members.",
            "Invite them on the Teams page.",
        )


def withdraw_member_invitation(*, invited: InvitedMember, who: str) -> None:
    """Withdraw an invitation; its link stops working."""
    with transaction.atomic():
        invitations.void_invitation(invited.invitation)
        log(invited.collection, f"invitation of {invited.invitation.email} withdrawn", who=who)


def _withdraw_invitations_by(user: User, collection: Collection, *, who: str) -> None:
    """Withdraw the invitations sent by a former owner, who could otherwise rejoin with a saved link."""
    for invited in open_invitations(collection).filter(invitation__invited_by=user):
        withdraw_member_invitation(invited=invited, who=who)


def open_invitations(collection: Collection) -> QuerySet[InvitedMember]:
    waiting = Invitation.objects.open(clock.now())
    return collection.invited_members.filter(invitation__in=waiting).select_related("invitation")


def join(*, invitation: Invitation, user: User) -> Collection | None:
    """Use the invitation for this person and assign the role. Returns the invitation's collection, if any.

    An invitation works once, so a removed member cannot rejoin with the old link. Existing members keep their role.
    Raises InvitationOver.
    """
    with transaction.atomic():
        invitations.accept(invitation, user)
        brought = (
            InvitedMember.objects.select_related("collection", "team").filter(invitation=invitation).first()
        )
        if brought is None:
            return None
        if InvitedMember.objects.filter(pk=brought.pk, granted=False).update(granted=True):
            if brought.team is not None:
                new = _join_team(brought.team, user)
            else:
                _, new = Membership.objects.get_or_create(
                    collection=brought.collection, user=user, defaults={"role": brought.role}
                )
            if new:
                role = Role(brought.role).words
                log(brought.collection, f"joined as {role}", who=user.get_username())
    return brought.collection


def _join_team(team: Team, user: User) -> bool:
    """Make the person a submitter for the team; return False if they are a member or already on a team."""
    if Membership.objects.filter(collection=team.collection_id, user=user).exists():
        return False
    _, new = TeamMember.objects.get_or_create(collection=team.collection, user=user, defaults={"team": team})
    return new


def _lock_collection(collection: Collection) -> None:
    """Lock the collection's row, so that concurrent changes to its members wait until this one is done."""
    Collection.objects.filter(pk=collection.pk).update(name=F("name"))


def _refuse_last_owner(member: Membership) -> None:
    others = Membership.objects.filter(collection=member.collection, role=Role.OWNER).exclude(pk=member.pk)
    current = Membership.objects.filter(pk=member.pk, role=Role.OWNER)
    if current.exists() and not others.exists():
        raise NO_OWNER
