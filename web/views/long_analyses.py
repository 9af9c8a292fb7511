"""Long analyses of a collection: the list, a page each, the job that makes one, and the files."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from config.background.errors import TooMuchAsked
from config.errors import NotNow, Refusal
from leaderboard import jobs
from leaderboard.output.drawing import MEDIA_TYPES
from leaderboard.services.analyses import key_of, picture_file, result_of
from pooling.models import Collection
from web.access import collection_for, needs
from web.services import analysis_pages as pages
from web.services.analyses import FORMS, File, file_of
from web.services.directions import said_plainly


@require_safe
def listed(request: HttpRequest, name: str) -> HttpResponse:
    """Every analysis: what it says, what it needs, and who may have it."""
    found = collection_for(request.user, name)
    context = {"collection": found, "listed": pages.listed_analyses(found, request.user)}
    return render(request, "web/analyses.html", context)


@require_safe
@never_cache
def analysis(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """The choices, and what is there for them."""
    found = collection_for(request.user, name)
    page = pages.analysis_page(found, pages.kind_named(kind), request.GET, request.user)
    status = 503 if isinstance(page.refusal, NotNow) else 200
    files = reverse("web:analysis", args=[found.name, kind]).rstrip("/")
    context = {"page": page, "collection": found, "asked": page.query, "files": files}
    return render(request, "web/analysis.html", context, status=status)


@require_POST
@needs("see everything")
def run(request: HttpRequest, collection: Collection, kind: str) -> HttpResponse:
    """Have an analysis made, unless it is there, and show its page. A refusal is shown there too."""
    chosen = pages.kind_named(kind)
    try:
        asked = pages.asked_for(collection, chosen, request.POST, request.user)
        if result_of(key_of(asked)) is None:
            jobs.ring_for(asked)
    except NotNow:
        raise
    except TooMuchAsked as refusal:
        messages.error(request, str(refusal))
    except Refusal:
        pass  # the page finds the same and says so
    query = pages.address_of(chosen, request.POST)
    return redirect(f"{reverse('web:analysis', args=[collection.name, kind])}?{query}")


@require_safe
@never_cache
def progress(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """The moving part of an analysis's page, for the script that refreshes it."""
    found = collection_for(request.user, name)
    page = pages.analysis_page(found, pages.kind_named(kind), request.GET, request.user)
    return render(request, "web/parts/work.html", {"work": page.work, "part": True})


@require_safe
def file(request: HttpRequest, name: str, kind: str, form: str) -> HttpResponse:
    """A table, a figure or all of it as a file, of what is kept."""
    found = collection_for(request.user, name)
    chosen = pages.kind_named(kind)
    if form not in FORMS:
        raise Http404("There is no such form.")
    try:
        key = key_of(pages.asked_for(found, chosen, request.GET, request.user))
    except NotNow:
        raise
    except Refusal as refusal:
        words = said_plainly(refusal, collection=found.name)
        return HttpResponse(f"{words}\n", status=404, content_type="text/plain; charset=utf-8")
    made = _file(key, form, f"{found.name}-{chosen.name}", request.GET.get("of", ""))
    if made is None:
        raise Http404("This analysis was not run, or has no such table or figure.")
    shown = "inline" if form == "svg" else "attachment"
    headers = {"Content-Disposition": f'{shown}; filename="{made.name}"'}
    return HttpResponse(made.content, content_type=made.media_type, headers=headers)


def _file(key: str, form: str, stem: str, of: str) -> File | None:
    if form in MEDIA_TYPES:
        picture = picture_file(key, of, form)
        return File(picture, MEDIA_TYPES[form], f"{stem}-{of}.{form}") if picture else None
    kept = result_of(key)
    return None if kept is None else file_of(kept, form, stem, of)
