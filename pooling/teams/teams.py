"""Manage the teams that submit runs to a board: their people, and applications by new teams."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from accounts.roles import Role
from accounts.services.invitations import Invited
from config import clock
from pooling.collections.members import (
    invite_member,
    log,
    open_invitations,
    role_of,
    withdraw_member_invitation,
)
from pooling.errors import TeamConflict, TeamRefused
from pooling.models import Collection, InvitedMember, Run, RunUpload, Team, TeamApplication, TeamMember
from pooling.teams.submission_policies import plain_name, policy_of

MOST_INVITED = 20
MOST_WAITING = 200


def team_of(user: Any, collection: Collection) -> Team | None:
    """Return the team for which this person submits runs in the collection, if any."""
    if not user.is_authenticated:
        return None
    found = TeamMember.objects.select_related("team").filter(user=user, collection=collection).first()
    return found.team if found else None


def leads(user: Any, team: Team) -> bool:
    """Return whether this person is the team's first member, who can invite others."""
    first = TeamMember.objects.filter(team=team).order_by("pk").values_list("user", flat=True).first()
    return bool(user.is_authenticated and first == user.pk)


def runs_of_team(team: Team) -> Any:
    """Return the runs with the team's name, whoever sent them."""
    return Run.objects.filter(collection=team.collection_id, team=team.name)


def own_run(user: Any, collection: Collection, key: int) -> Run | None:
    """Return the run with this key if it has the name of this person's team; otherwise None."""
    team = team_of(user, collection)
    return runs_of_team(team).select_related("collection").filter(pk=key).first() if team else None


def uploads_seen(user: Any, collection: Collection) -> Any:
    """Return the uploads that this person can see: all for a member, the team's and their own for a submitter.

    An upload stays with the team for which it was sent. If the team was not recorded, it is the team of which the
    sender was already a part, and still is.
    """
    rows = RunUpload.objects.filter(collection=collection)
    if (team := team_of(user, collection)) is None or role_of(user, collection) is not Role.SUBMITTER:
        return rows
    part_of_it = TeamMember.objects.filter(
        team=team, user=OuterRef("user"), since__lte=OuterRef("created_at")
    )
    unrecorded = Q(sent_as_member=None) & Exists(part_of_it)
    return rows.filter(Q(team=team) | Q(user=user) | unrecorded)


def own_team_filter(user: Any, collection: Collection) -> Q:
    """Return the filter for the runs of this person's team. Without a team, it matches no run."""
    team = team_of(user, collection)
    return Q(team=team.name) if team else Q(pk__in=[])


def scores_shown_filter(user: Any, collection: Collection) -> Q:
    """Return the filter for runs whose values this person sees as a submitter.

    It matches no run unless the policy lets teams see their scores.
    """
    policy = policy_of(collection)
    return own_team_filter(user, collection) if policy and policy.teams_see_scores else Q(pk__in=[])


def make_team(*, collection: Collection, name: str, affiliation: str = "", who: str) -> Team:
    """Add a team to the board. Its name is permanent. Raises TeamRefused."""
    name = " ".join(name.split())
    if not plain_name(name) or len(name) > 200 or len(affiliation) > 200:
        raise TeamRefused(
            "The team has no name, or its name or affiliation is too long.", "Use 1 to 200 characters."
        )
    of_runs = set(Run.objects.filter(collection=collection).exclude(team="").values_list("team", flat=True))
    if known := _team_called(collection, name):
        raise TeamConflict(
            f"A team {known!r} already exists.", "Invite people to it, or choose another name."
        )
    alike = sorted(other for other in of_runs if plain_name(other) == plain_name(name) and other != name)
    if alike:
        raise TeamConflict(
            f"The board already has runs by {alike[0]!r}, the same name in another spelling.",
            f"Use that spelling: {alike[0]!r}. A team's name cannot be changed later.",
        )
    with transaction.atomic():
        team = Team.objects.create(collection=collection, name=name, affiliation=affiliation.strip())
        log(collection, f"team {name} added"[:300], who=who)
    return team


def _team_called(collection: Collection, name: str) -> str | None:
    """Return the board's own spelling of this team name; None if the board has no such team."""
    names = Team.objects.filter(collection=collection).order_by("pk").values_list("name", flat=True)
    return next((other for other in names if plain_name(other) == plain_name(name)), None)


def invite_to_team(*, team: Team, email: str, invited_by: User) -> Invited:
    """Invite somebody to submit for the team, as ``invite_member`` does. Raises NotAnAccount, TeamRefused."""
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        if invitations_of(team).exclude(invitation__email__iexact=email).count() >= MOST_INVITED:
            raise TeamConflict(f"The team has {MOST_INVITED} unused invitations.", "Withdraw some first.")
        return invite_member(
            collection=team.collection, email=email, role=Role.SUBMITTER, invited_by=invited_by, team=team
        )


def invitations_of(team: Team) -> Any:
    return open_invitations(team.collection).filter(team=team).order_by("pk")


def remove_from_team(*, member: TeamMember, who: str) -> None:
    """Remove a person from the team, and withdraw the invitations that they sent. The team's runs stay."""
    with transaction.atomic():
        for invited in invitations_of(member.team).filter(invitation__invited_by=member.user):
            withdraw_from_team(invited=invited, who=who)
        member.delete()
        log(member.collection, f"{member.user.get_username()} left {member.team.name}"[:300], who=who)


def withdraw_from_team(*, invited: InvitedMember, who: str) -> None:
    withdraw_member_invitation(invited=invited, who=who)


def apply_as_team(
    *, collection: Collection, team_name: str, affiliation: str, email: str, words: str
) -> TeamApplication:
    """Store a new team's application to submit runs. An owner decides on it later. Raises TeamRefused.

    If the same application is already waiting, it is returned.
    """
    team_name = " ".join(team_name.split())
    try:
        validate_email(email)
    except ValidationError:
        raise TeamRefused(
            f"{email[:60]!r} is not an e-mail address.", "Enter an address that you read."
        ) from None
    if not plain_name(team_name) or max(len(team_name), len(affiliation)) > 200 or len(words) > 1000:
        raise TeamRefused(
            "The application is too long, or has no name.", "Enter a name, and shorten the text."
        )
    if alike := _team_called(collection, team_name):
        raise TeamConflict(
            f"The team {alike} already exists.",
            "Ask one of its members to invite you, or choose another name.",
        )
    waiting = TeamApplication.objects.filter(collection=collection, state=TeamApplication.State.WAITING)
    if waiting.count() >= MOST_WAITING:
        raise TeamConflict("Too many applications are waiting for an answer.", "Try again later.")
    try:
        with transaction.atomic():
            return TeamApplication.objects.create(
                collection=collection, team_name=team_name, affiliation=affiliation, email=email, words=words
            )
    except IntegrityError:
        # Respond as for a new application, so that nobody learns who has applied.
        return waiting.get(email=email, team_name=team_name)


def decide_application(*, application: TeamApplication, accept: bool, decided_by: User) -> Invited | None:
    """Accept or decline an application, once. Accepting creates the team and invites the applicant to it.

    Raises TeamRefused, NotAnAccount.
    """
    state = TeamApplication.State.ACCEPTED if accept else TeamApplication.State.DECLINED
    who = decided_by.get_username()
    with transaction.atomic():
        open_ones = TeamApplication.objects.filter(pk=application.pk, state=TeamApplication.State.WAITING)
        if not open_ones.update(state=state, decided_by=who, decided_at=clock.now()):
            raise TeamConflict("This application has already been decided.", "Reload the page.")
        if not accept:
            log(application.collection, f"application of {application.team_name} declined"[:300], who=who)
            return None
        team = make_team(
            collection=application.collection,
            name=application.team_name,
            affiliation=application.affiliation,
            who=who,
        )
        return invite_to_team(team=team, email=application.email, invited_by=decided_by)
