"""Analyses of a collection's runs: a page to choose and read, and the same as files."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.errors import NotNow, Refusal
from web.access import collection_for
from web.services import comparisons
from web.services.analyses import FORMS, file_of
from web.services.directions import said_plainly


@require_safe
def comparison(request: HttpRequest, name: str) -> HttpResponse:
    """Two or more runs compared: what may be claimed, and on what it rests."""
    return _page(request, name, comparisons.comparison, "web/comparison.html")


@require_safe
def comparison_file(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """The same as a file; ``table`` in the address names one of several."""
    return _file(request, name, form, comparisons.comparison, "comparison")


@require_safe
def timeline(request: HttpRequest, name: str) -> HttpResponse:
    """The leaderboard over time."""
    return _page(request, name, comparisons.timeline, "web/timeline.html")


@require_safe
def timeline_file(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """The same as a file."""
    return _file(request, name, form, comparisons.timeline, "timeline")


def _page(request: HttpRequest, name: str, make: comparisons.Make, template: str) -> HttpResponse:
    found = collection_for(request.user, name)
    page = comparisons.page_of(found, comparisons.Wish.of(request.GET), request.user, make)
    status = 503 if isinstance(page.refusal, NotNow) else 200
    query = request.GET.copy()
    query.pop("of", None)
    context = {
        "page": page,
        "collection": found,
        "asked": query.urlencode(),
        "files": request.path.rstrip("/"),
    }
    return render(request, template, context, status=status)


def _file(request: HttpRequest, name: str, form: str, make: comparisons.Make, what: str) -> HttpResponse:
    found = collection_for(request.user, name)
    if form not in FORMS:
        raise Http404("There is no such form.")
    try:
        analysis = make(found, comparisons.Wish.of(request.GET), request.user)
    except NotNow:
        raise
    except Refusal as refusal:
        words = said_plainly(refusal, collection=found.name)
        return HttpResponse(f"{words}\n", status=404, content_type="text/plain; charset=utf-8")
    file = file_of(analysis, form, f"{found.name}-{what}", request.GET.get("of"))
    if file is None:
        raise Http404("There is no such table or figure.")
    shown = "inline" if form == "svg" else "attachment"
    headers = {"Content-Disposition": f'{shown}; filename="{file.name}"'}
    return HttpResponse(file.content, content_type=file.media_type, headers=headers)
