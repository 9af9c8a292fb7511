"""A collection and its leaderboard."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.errors import NotNow, Refusal
from leaderboard.services import board_csv
from web.access import collection_for
from web.services import boards, collections
from web.services.directions import said_plainly


@require_safe
def collection(request: HttpRequest, name: str) -> HttpResponse:
    """A collection: runs, qrel sets, pools, campaigns, versions."""
    found = collection_for(request.user, name)
    context = collections.collection_page(found, request.user)
    return render(request, "web/collection.html", context)


@require_safe
def leaderboard(request: HttpRequest, name: str) -> HttpResponse:
    """The whole leaderboard, sorted and cut into pages by the address."""
    found = collection_for(request.user, name)
    board = boards.board_view(found, boards.Wish.of(request.GET), request.user)
    context = {"board": board, "collection": found}
    return render(request, "web/leaderboard.html", context, status=_status(board, request))


def _status(board: boards.BoardView, request: HttpRequest) -> int:
    if isinstance(board.refusal, NotNow):
        return 503
    asked = request.GET.get("version") or request.GET.get("official")
    return 404 if board.refusal and asked else 200


@require_safe
def leaderboard_csv(request: HttpRequest, name: str) -> HttpResponse:
    """The same as CSV."""
    found = collection_for(request.user, name)
    try:
        published = boards.published_board(found, boards.Wish.of(request.GET), request.user)
    except NotNow:
        raise
    except Refusal as refusal:
        words = said_plainly(refusal, collection=found.name)
        return HttpResponse(f"{words}\n", status=404, content_type="text/plain; charset=utf-8")
    file = f"{found.name}-version-{published.version}-{published.official}.csv"
    return HttpResponse(
        board_csv(published),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )
