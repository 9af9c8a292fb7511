"""The home page: what needs attention, leaderboards, campaigns, collections."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pooling.services.new_collections import may_create
from web.boards.pages import Wish, board_view
from web.collections.jobs import sample_under_way
from web.collections.pages import listed_collections
from web.common.campaign_rows import campaigns_of, campaigns_progress
from web.common.outdated_versions import outdated_for
from web.home.attention import needs_of

ROWS_OF_A_BOARD = 25
BOARDS_SHOWN = 5
#: Campaigns listed at first; finished ones come last.
CAMPAIGNS_SHOWN = 20


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what needs the person, and every collection's leaderboard under its latest (or the requested) version."""
    listed = listed_collections(request.user)
    asked = request.GET.get("collection", "")
    alone = [row for row in listed if row.collection.name == asked]
    published = [row for row in alone or listed if row.versions or alone]
    # A version number is ambiguous across collections, so it needs ?collection=.
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
    campaigns = campaigns_progress(
        campaigns_of([row.collection for row in listed], request.user), request.user
    )
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
