"""Pages of teams: who submits to a board, applications, and rounds."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.services import invitations
from accounts.services.invitations import Invited
from config.client_address import client_network
from config.rate_limits import Limit
from config.row_keys import row_key
from pooling.collections.members import may
from pooling.models import Collection, InvitedMember, Round, Team, TeamApplication, TeamMember
from pooling.teams.rounds import drop_round, set_round
from pooling.teams.teams import (
    apply_as_team,
    decide_application,
    invitations_of,
    invite_to_team,
    leads,
    make_team,
    remove_from_team,
    team_of,
    withdraw_from_team,
)
from web.common.access import ActionNotAllowed, collection_for, needs
from web.common.shown_refusals import add_error_if_refused, complain_if_refused
from web.common.visibility import sees_everything
from web.teams.forms import ApplicationForm, RoundForm, TeamForm
from web.teams.pages import team_page, teams_page
from web.teams.run_requirements import run_requirements

#: The most applications from one network address per hour.
APPLICATIONS = Limit("applications", most=5, seconds=3600)
#: The most invitations that a team can send per hour: each is an e-mail to an address of its choice.
INVITATIONS = Limit("team-invitations", most=20, seconds=3600)


@require_safe
@never_cache
def teams(request: HttpRequest, name: str) -> HttpResponse:
    """Show the rounds and the teams of a board. ``?change=`` fills the form with a round's values."""
    found = collection_for(request.user, name)
    form = RoundForm(planned=_round_to_change(request, found))
    return _show_teams(request, found, form)


@require_safe
@never_cache
def team(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Show a team's runs, problems and remaining quota, to its people and to members."""
    return render(request, "web/teams/team.html", team_page(_team_to_see(request, name, key), request.user))


@require_http_methods(["GET", "POST"])
def apply(request: HttpRequest, name: str) -> HttpResponse:
    """Receive a team's application, from anybody who sees the board."""
    found = collection_for(request.user, name)
    form = ApplicationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        if APPLICATIONS.take(client_network(request)):
            form.add_error(None, "Too many applications came from your address. Try again in an hour.")
        else:
            with add_error_if_refused(form):
                apply_as_team(
                    collection=found,
                    team_name=said["name"],
                    affiliation=said["affiliation"],
                    email=said["email"],
                    words=said["words"],
                )
                messages.success(request, "Your application was sent. The organizers answer by e-mail.")
                return redirect("web:teams", found.name)
    context = {"collection": found, "form": form}
    return render(request, "web/teams/team_application.html", context, status=422 if form.errors else 200)


@require_POST
@needs("manage teams")
def new_team(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = TeamForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Enter a team name of at most 200 characters.")
        return redirect("web:teams", collection.name)
    with complain_if_refused(request):
        made = make_team(collection=collection, who=request.user.get_username(), **form.cleaned_data)
        return redirect("web:team", collection.name, made.pk)
    return redirect("web:teams", collection.name)


@require_POST
@needs("manage teams")
def decide_team_application(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    found = get_object_or_404(
        TeamApplication.objects.select_related("collection"), collection=collection, pk=key
    )
    accept = request.POST.get("decision") == "accept"
    with complain_if_refused(request):
        invited = decide_application(application=found, accept=accept, decided_by=request.user)  # type: ignore[arg-type]
        if invited is not None:
            made = Team.objects.get(collection=collection, name=" ".join(found.team_name.split()))
            return _show_invitation(request, made, invited, found.email)
        messages.success(request, f"The application of {found.team_name} was declined.")
    return redirect("web:teams", collection.name)


@require_POST
def invite_team_member(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Invite somebody to submit for the team. Only its first member or an owner can."""
    found = _team_to_lead(request, name, key)
    email = request.POST.get("email", "").strip()
    if INVITATIONS.take(str(found.pk)):
        messages.error(request, "The team sent 20 invitations in the last hour. Invite more people later.")
        return redirect("web:team", found.collection.name, found.pk)
    with complain_if_refused(request):
        invited = invite_to_team(team=found, email=email, invited_by=request.user)  # type: ignore[arg-type]
        return _show_invitation(request, found, invited, email)
    return redirect("web:team", found.collection.name, found.pk)


def _show_invitation(request: HttpRequest, found: Team, invited: Invited, email: str) -> HttpResponse:
    if invitations.mail(invited, to_what=f"{found.collection.name}, team {found.name}"):
        messages.success(request, f"The invitation was sent to {email}.")
        return redirect("web:team", found.collection.name, found.pk)
    # No redirect: the link is shown only in this response and is not stored.
    context = team_page(found, request.user) | {"link": invited.link, "invited": email}
    return render(request, "web/teams/team.html", context)


@require_POST
def withdraw_team_invitation(request: HttpRequest, name: str, key: int, invited: int) -> HttpResponse:
    found = _team_to_lead(request, name, key)
    row: InvitedMember = get_object_or_404(invitations_of(found), pk=invited)
    withdraw_from_team(invited=row, who=request.user.get_username())
    return redirect("web:team", found.collection.name, found.pk)


@require_POST
def remove_team_member(request: HttpRequest, name: str, key: int, member: int) -> HttpResponse:
    """Remove a person from the team; anybody can leave it."""
    found = _team_to_see(request, name, key)
    row = get_object_or_404(
        TeamMember.objects.select_related("team", "collection", "user"), team=found, pk=member
    )
    if row.user_id != request.user.pk:
        _team_to_lead(request, name, key)
    remove_from_team(member=row, who=request.user.get_username())
    messages.success(request, f"{row.user.get_username()} no longer submits for {found.name}.")
    if row.user_id == request.user.pk:
        return redirect("web:home")
    return redirect("web:team", name, key)


@require_POST
@needs("manage teams")
def plan_round(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Plan a round, or change the round with this name."""
    form = RoundForm(request.POST, planned=_round_to_change(request, collection))
    if form.is_valid():
        existing = set(collection.rounds.values_list("pk", flat=True))
        with add_error_if_refused(form):
            made = set_round(collection=collection, who=request.user.get_username(), **form.rules())
            done = "is changed" if made.pk in existing else "is planned"
            messages.success(request, f"The round {made.name} {done}.")
            return redirect("web:teams", collection.name)
    return _show_teams(request, collection, form, status=422)


def _show_teams(
    request: HttpRequest, collection: Collection, form: RoundForm, *, status: int = 200
) -> HttpResponse:
    context = teams_page(collection, request.user) | {"team_form": TeamForm(), "round_form": form}
    context["requirements"] = run_requirements(collection)
    context["may_send"] = may(request.user, "submit run", collection)
    return render(request, "web/teams/teams.html", context, status=status)


@require_POST
@needs("manage teams")
def remove_round(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Delete a round in which nothing was submitted."""
    planned = get_object_or_404(Round.objects.select_related("collection"), collection=collection, pk=key)
    with complain_if_refused(request):
        drop_round(planned=planned, who=request.user.get_username())
        messages.success(request, f"The round {planned.name} was deleted.")
    return redirect("web:teams", collection.name)


def _round_to_change(request: HttpRequest, collection: Collection) -> Round | None:
    """Return the round that ``?change=`` names by its key, or None without one. Raises Http404."""
    key = request.GET.get("change", "")
    if not key:
        return None
    return get_object_or_404(Round, collection=collection, pk=row_key(key) or 0)


def _team_to_see(request: HttpRequest, name: str, key: int) -> Team:
    """Return the team if this person belongs to it or sees everything in the collection. Raises Http404."""
    collection = collection_for(request.user, name)
    found = Team.objects.select_related("collection").filter(collection=collection, pk=key).first()
    if found is None:
        raise Http404("There is no such team.")
    if not sees_everything(request.user, collection) and team_of(request.user, collection) != found:
        raise Http404("There is no such team.")
    return found


def _team_to_lead(request: HttpRequest, name: str, key: int) -> Team:
    """Return the team if this person decides who belongs to it. Raises Http404, PermissionDenied."""
    found = _team_to_see(request, name, key)
    if not leads(request.user, found) and not may(request.user, "manage teams", found.collection):
        raise ActionNotAllowed("the team's first member or an owner", found.collection, request.user)
    return found
