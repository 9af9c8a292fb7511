"""Long analyses of a collection: the list, their pages, the jobs that run them, and the files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from config.background.errors import TooMuchAsked
from config.errors import NotNow, Refusal
from leaderboard import jobs
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.runner import picture_file, result_now, result_or_older
from leaderboard.output.drawing import MEDIA_TYPES
from pooling.models import Collection
from web.analyses import pages
from web.common.access import collection_for, needs
from web.common.analysis_tables import FORMS, File, analysis_file
from web.common.directions import guidance_text
from web.common.row_files import as_attachment
from web.common.shown_refusals import complain


@require_safe
def analyses_list(request: HttpRequest, name: str) -> HttpResponse:
    """List every analysis: its purpose, its requirements, and who can open it."""
    found = collection_for(request.user, name)
    context = {"collection": found, "listed": pages.listed_analyses(found, request.user)}
    return render(request, "web/analyses/analyses.html", context)


@require_safe
@never_cache
def analysis(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """Show an analysis: its settings, and the result for these settings."""
    found = collection_for(request.user, name)
    page = pages.analysis_page(found, pages.kind_or_404(kind), request.GET, request.user)
    status = 503 if isinstance(page.refusal, NotNow) else 200
    files = reverse("web:analysis", args=[found.name, kind]).rstrip("/")
    context = {"page": page, "collection": found, "asked": page.query, "files": files}
    return render(request, "web/analyses/analysis.html", context, status=status)


@require_POST
@needs("see everything")
def run_analysis(request: HttpRequest, collection: Collection, kind: str) -> HttpResponse:
    """Start an analysis unless its result is stored, and redirect to its page, which also shows refusals."""
    chosen = pages.kind_or_404(kind)
    try:
        asked = pages.asked_for(collection, chosen, request.POST, request.user)
        if result_now(asked) is None:
            jobs.ring_for_analysis(asked)
    except NotNow:
        raise
    except TooMuchAsked as refusal:
        complain(request, refusal)
    except Refusal:
        pass  # the page raises the same refusal and shows it
    query = pages.analysis_query_string(chosen, request.POST)
    return redirect(f"{reverse('web:analysis', args=[collection.name, kind])}?{query}")


@require_safe
@never_cache
def live_analysis(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """Render the progress part of an analysis's page, for the script that refreshes it."""
    found = collection_for(request.user, name)
    page = pages.analysis_page(found, pages.kind_or_404(kind), request.GET, request.user)
    return render(request, "web/parts/work.html", {"work": page.work, "part": True})


@require_safe
def file(request: HttpRequest, name: str, kind: str, form: str) -> HttpResponse:
    """Return a table, a figure or the whole stored result as a file."""
    found = collection_for(request.user, name)
    chosen = pages.kind_or_404(kind)
    if form not in FORMS:
        raise Http404("Unknown file format.")
    try:
        asked = pages.asked_for(found, chosen, request.GET, request.user)
        made = _download(asked, form, f"{found.name}-{chosen.name}", request.GET.get("of", ""))
    except NotNow:
        raise
    except Refusal as refusal:
        words = guidance_text(refusal, collection=found.name)
        return HttpResponse(f"{words}\n", status=404, content_type="text/plain; charset=utf-8")
    if made is None:
        raise Http404("This analysis has not been run, or has no such table or figure.")
    # Pages show an SVG file as an image. In a tab of its own, the content security policy would block its styles.
    return as_attachment(made.content, made.name, made.media_type)


def _download(asked: Asked, form: str, stem: str, of: str) -> File | None:
    found = result_or_older(asked)
    if found is None:
        return None
    if form in MEDIA_TYPES and (picture := picture_file(found.key, of, form)):
        return File(picture, MEDIA_TYPES[form], f"{stem}-{of}.{form}")
    return analysis_file(found.analysis, form, stem, of)


@require_safe
def moved(request: HttpRequest, name: str, kind: str, form: str = "") -> HttpResponse:
    """Redirect the former addresses of comparisons and the timeline to the current pages and files."""
    found = collection_for(request.user, name)
    route, rest = ("web:analysis_file", [form]) if form else ("web:analysis", [])
    query = request.GET.urlencode()
    address = reverse(route, args=[found.name, kind, *rest])
    return redirect(f"{address}?{query}" if query else address, permanent=True)
