"""The first page: what needs a person now, leaderboards, campaigns, collections."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pooling.services.new_collections import may_create
from web.jobs import sample_under_way
from web.services.attention import needs_of
from web.services.boards import Wish, board_view
from web.services.campaigns import campaigns_of, progress_of
from web.services.collections import listed_collections
from web.services.outdated import outdated_for

ROWS_OF_A_BOARD = 25
BOARDS_SHOWN = 5
#: Campaigns in the list at first; those that are over come last.
CAMPAIGNS_SHOWN = 20


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What waits for the person, every collection's leaderboard under its latest version (or the one asked for)."""
    listed = listed_collections(request.user)
    asked = request.GET.get("collection", "")
    alone = [row for row in listed if row.collection.name == asked]
    published = [row for row in alone or listed if row.versions or alone]
    # With several collections on the page a version's number means nothing, so only ?collection= gives it one.
    wish = Wish.of(request.GET if alone or len(listed) == 1 else {})
    told = outdated_for(request.user, [row.collection for row in listed if row.versions])
    boards = [
        board_view(
            row.collection,
            wish,
            request.user,
            rows_a_page=ROWS_OF_A_BOARD,
            moves=False,
            outdated=told.get(row.collection.pk),
        )
        for row in published[:BOARDS_SHOWN]
    ]
    campaigns = progress_of(campaigns_of([row.collection for row in listed], request.user), request.user)
    campaigns.sort(key=lambda one: one.campaign.closed_at is not None)
    shown = campaigns if "campaigns" in request.GET else campaigns[:CAMPAIGNS_SHOWN]
    context = {
        "needs": needs_of(request.user, campaigns, told),
        "listed": listed,
        "boards": boards,
        "boards_left_out": max(0, len(published) - BOARDS_SHOWN),
        "campaigns": shown,
        "campaigns_left_out": len(campaigns) - len(shown),
        "may_create": may_create(request.user),
        "sample_job": sample_under_way() if request.user.is_authenticated else None,
    }
    return render(request, "web/home.html", context)
