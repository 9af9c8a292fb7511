"""The home page, and the site's lists of leaderboards, campaigns and collections."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from accounts.roles import Role, permits
from accounts.services.administrators import has_administrator
from accounts.services.user_lookup import mail_address_of
from pooling.collections.members import roles_of
from pooling.intake.new_collections import may_create
from pooling.models import Collection, Team, TeamMember
from web.boards.cards import board_cards, collections_with_board
from web.collections.jobs import sample_under_way
from web.collections.pages import ListedCollection, listed_collections, unmade_collections
from web.collections.sample import judges_here
from web.common import end_notices
from web.common.campaign_rows import CampaignLists, campaigns_of, campaigns_progress, sorted_into_lists
from web.common.outdated_versions import outdated_for
from web.common.page_context import THEME_COOKIE, THEMES
from web.grading.summaries import GradedProgress, graded_progress, topics_to_judge
from web.home.attention import needs_of
from web.teams.pages import opening_for

#: How many leaderboards the home page shows; the list of leaderboards has the rest.
CARDS_SHOWN = 3
CAMPAIGNS_SHOWN = 5
CARDS_A_PAGE = 12
CAMPAIGNS_A_PAGE = 50
A_YEAR = 365 * 24 * 3600


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduce Preferee to visitors. Show others what needs attention, leaderboards, campaigns and collections."""
    listed = listed_collections(request.user)
    boards = collections_with_board([row.collection for row in listed])
    told = outdated_for(request.user, [row.collection for row in listed if row.versions])
    context: dict[str, Any] = {
        "listed": listed,
        "cards": board_cards(boards[:CARDS_SHOWN], request.user, told),
        "boards_left_out": max(0, len(boards) - CARDS_SHOWN),
    }
    if not request.user.is_authenticated:
        return render(request, "web/home/welcome.html", context | {"unclaimed": not has_administrator()})
    lists, roles = _campaign_lists(request, listed), roles_of(request.user)
    moving = [one for one in lists.current if one.campaign.closed_at is None and not one.imported]
    everything = [*lists.current, *lists.rehearsals, *lists.archived]
    context |= {
        "teams": _teams_of(request),
        "needs": needs_of(request.user, everything, told),
        "topics": topics_to_judge(request.user, roles),
        "only_assessed": _only_assessed(roles, listed),
        "graded": [one for one in _graded_campaigns(roles, listed) if one.campaign.ended_at is None],
        "campaigns": moving[:CAMPAIGNS_SHOWN],
        "campaigns_left_out": len(everything) - len(moving[:CAMPAIGNS_SHOWN]),
        **_creation_context(request),
    }
    return render(request, "web/home/home.html", context)


def _only_assessed(roles: Mapping[int, Role], listed: Sequence[ListedCollection]) -> list[Collection]:
    """Return the person's collections if assessor is their only role; else none."""
    if set(roles.values()) != {Role.ASSESSOR}:
        return []
    return [row.collection for row in listed if row.collection.pk in roles]


def _teams_of(request: HttpRequest) -> list[tuple[Team, bool]]:
    """Return the teams that the person submits for, and whether each can submit now."""
    rows = TeamMember.objects.filter(user=request.user.pk).select_related("team__collection").order_by("pk")
    return [(row.team, not opening_for(row.team)["closed"]) for row in rows]


@require_safe
@never_cache
def signed_in(request: HttpRequest) -> HttpResponse:
    """Redirect a person who only submits for one team to the team's page, and everybody else to the home page."""
    roles = roles_of(request.user)
    teams = list(TeamMember.objects.filter(user=request.user.pk).select_related("collection")[:2])
    if len(teams) == 1 and set(roles.values()) == {Role.SUBMITTER}:
        return redirect("web:team", teams[0].collection.name, teams[0].team_id)
    return redirect("web:home")


@require_safe
def leaderboards(request: HttpRequest) -> HttpResponse:
    """List the leaderboards that the person can see."""
    boards = collections_with_board([row.collection for row in listed_collections(request.user)])
    page = Paginator(boards, CARDS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "cards": board_cards(list(page.object_list), request.user)}
    return render(request, "web/home/leaderboards.html", context)


@require_safe
def campaigns_list(request: HttpRequest) -> HttpResponse:
    """List the campaigns that the person can see, closed campaigns last."""
    lists = _campaign_lists(request, listed_collections(request.user))
    page = Paginator(lists.current, CAMPAIGNS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "campaigns": page.object_list, "lists": lists}
    return render(request, "web/home/campaigns.html", context)


@require_safe
def collections(request: HttpRequest) -> HttpResponse:
    """List the collections that the person can see."""
    context = {"listed": listed_collections(request.user), **_creation_context(request)}
    return render(request, "web/home/collections.html", context)


@csrf_exempt  # It changes only colors, and a CSRF token would give every visitor a cookie on every page.
@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen colors in a cookie, and go back."""
    chosen, back = request.POST.get("theme", ""), request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    response = redirect(back if ours else "web:home")
    response.set_cookie(
        THEME_COOKIE,
        chosen if chosen in THEMES else "",
        max_age=A_YEAR,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _campaign_lists(request: HttpRequest, listed: Sequence[ListedCollection]) -> CampaignLists:
    found = campaigns_progress(campaigns_of([row.collection for row in listed], request.user), request.user)
    return sorted_into_lists(sorted(found, key=lambda one: one.campaign.closed_at is not None))


def _graded_campaigns(roles: Mapping[int, Role], listed: Sequence[ListedCollection]) -> list[GradedProgress]:
    """Return the graded campaigns of the collections in which the person sees everything."""
    mine = [row.collection for row in listed if permits(roles.get(row.collection.pk), "see everything")]
    return graded_progress(mine)


def _creation_context(request: HttpRequest) -> dict[str, Any]:
    """Return what the person can create, and their unfinished and recently refused requests for collections."""
    return {
        "may_create": may_create(request.user),
        "judges_here": request.user.is_authenticated and judges_here(request.user),
        "sample_job": sample_under_way() if request.user.is_authenticated else None,
        "unmade": unmade_collections(request.user),
    }


@require_POST
@login_required
def request_end_notice(request: HttpRequest) -> HttpResponse:
    """Register a request for an e-mail when the work shown on a page ends."""
    notice = end_notices.promise_notice(request.user, request.POST.get("about", ""))  # type: ignore[arg-type]
    if notice is None:
        messages.error(
            request,
            "No e-mail will be sent: the page was too old, the job no longer exists, or your account has no "
            "e-mail address. Reload the page and try again.",
        )
        return redirect("web:home")
    messages.success(request, f"You will get an e-mail at {mail_address_of(notice.user)} when this is done.")
    return redirect(notice.page)
