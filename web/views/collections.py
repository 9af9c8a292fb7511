"""A collection, its leaderboard, its runs, its versions and their queries."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from config.errors import Refusal
from leaderboard.services import board_csv
from pooling.models import Collection, Query
from tournament.models import QrelVersion, VersionQuery
from web.services import boards, collections, query_results, versions
from web.services.visibility import listed_runs


@require_safe
def collection(request: HttpRequest, name: str) -> HttpResponse:
    """A collection: runs, qrel sets, pools, campaigns, versions."""
    found = get_object_or_404(Collection, name=name)
    context = collections.collection_page(found, request.user, request.GET)
    return render(request, "web/collection.html", context)


@require_safe
def leaderboard(request: HttpRequest, name: str) -> HttpResponse:
    """The whole leaderboard, sorted and cut into pages by the address."""
    found = get_object_or_404(Collection, name=name)
    board = boards.board_view(found, boards.Wish.of(request.GET), request.user)
    status = 404 if board.refusal and (request.GET.get("version") or request.GET.get("official")) else 200
    return render(request, "web/leaderboard.html", {"board": board, "collection": found}, status=status)


@require_safe
def leaderboard_csv(request: HttpRequest, name: str) -> HttpResponse:
    """The same as CSV."""
    found = get_object_or_404(Collection, name=name)
    try:
        published = boards.published_board(found, boards.Wish.of(request.GET), request.user)
    except Refusal as refusal:
        return HttpResponse(f"{refusal}\n", status=404, content_type="text/plain; charset=utf-8")
    file = f"{found.name}-version-{published.version}-{published.official}.csv"
    return HttpResponse(
        board_csv(published),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )


@require_safe
def run(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """A run: what is known about it and its values."""
    found = get_object_or_404(Collection, name=name)
    one = get_object_or_404(listed_runs(found, request.user), pk=key)
    return render(request, "web/run.html", collections.run_page(found, one))


@require_safe
def version(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """A version and its queries."""
    found = _version(name, number)
    return render(request, "web/version.html", versions.version_page(found, request.user, request.GET))


@require_safe
def query(request: HttpRequest, name: str, number: int, key: int) -> HttpResponse:
    """One query of a version."""
    found = _version(name, number)
    one = get_object_or_404(Query, pk=key, collection=found.collection)
    if not VersionQuery.objects.filter(version=found, query=one).exists():
        raise Http404(f"Version {number} does not cover this query.")
    return render(request, "web/query.html", query_results.query_page(found, one, request.user))


def _version(name: str, number: int) -> QrelVersion:
    related = QrelVersion.objects.select_related("collection", "campaign", "parent")
    return get_object_or_404(related, collection__name=name, number=number)
