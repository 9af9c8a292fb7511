"""The first page: leaderboards, campaigns, collections."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.services.boards import Wish, board_view
from web.services.campaigns import campaigns_of, progress_of
from web.services.collections import listed_collections

ROWS_OF_A_BOARD = 25
BOARDS_SHOWN = 5


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Every collection's leaderboard under its latest version (or the one asked for), and the campaigns."""
    listed = listed_collections(request.user)
    asked = request.GET.get("collection", "")
    alone = [row for row in listed if row.collection.name == asked]
    published = [row for row in alone or listed if row.versions or alone]
    # With several collections on the page a version's number means nothing, so only ?collection= gives it one.
    wish = Wish.of(request.GET if alone or len(listed) == 1 else {})
    boards = [
        board_view(row.collection, wish, request.user, rows_a_page=ROWS_OF_A_BOARD)
        for row in published[:BOARDS_SHOWN]
    ]
    collections = [row.collection for row in listed]
    context = {
        "listed": listed,
        "boards": boards,
        "boards_left_out": max(0, len(published) - BOARDS_SHOWN),
        "campaigns": progress_of(campaigns_of(collections)),
    }
    return render(request, "web/home.html", context)
