"""A collection's leaderboard: its page, the progress while it is computed, and its files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.errors import NotNow, Refusal
from pooling.collections.members import may
from web.boards import pages as boards
from web.collections.pages import next_step
from web.common.access import collection_for
from web.common.analysis_tables import FORMS, analysis_file
from web.common.directions import guidance_text
from web.common.outdated_versions import outdated_for
from web.common.row_files import as_attachment
from web.common.visibility import shown_runs
from web.errors import BoardBeingDrawn


@require_safe
def leaderboard(request: HttpRequest, name: str) -> HttpResponse:
    """Show the full leaderboard, sorted and paginated as the URL requests."""
    found = collection_for(request.user, name)
    told = outdated_for(request.user, [found]).get(found.pk)
    board = boards.board_view(found, boards.Wish.of(request.GET), request.user, outdated=told)
    address = f"{reverse('web:drawing_board', args=[found.name])}?{request.GET.urlencode()}"
    context = {
        "board": board,
        "collection": found,
        "may_add": may(request.user, "add files", found),
        "next_step": next_step(found, request.user) if board.published and not board.versions else None,
        "drawing": address,
    }
    reply = render(request, "web/collections/leaderboard.html", context, status=_board_status(board, request))
    if board.work:
        reply["Cache-Control"] = "no-store"
    return reply


@require_safe
@never_cache
def drawing_board(request: HttpRequest, name: str) -> HttpResponse:
    """Render the progress of a leaderboard that is being computed, for the script that refreshes its page."""
    found = collection_for(request.user, name)
    work = boards.board_work(found, boards.Wish.of(request.GET), request.user)
    return render(request, "web/parts/work.html", {"work": work, "part": True})


def _board_status(board: boards.BoardView, request: HttpRequest) -> int:
    if isinstance(board.refusal, NotNow):
        return 503
    asked = any(request.GET.get(name) for name in ("version", "official", "measure"))
    return 404 if board.refusal and asked else 200


@require_safe
def leaderboard_file(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """Return the board, or the figure named by the parameter ``of``, as a file of the runs that match the filters."""
    found = collection_for(request.user, name)
    if form not in FORMS:
        raise Http404("Unknown file format.")
    wish = boards.Wish.of(request.GET)
    try:
        published = boards.published_board(found, wish, request.user)
    except BoardBeingDrawn as later:
        reply = HttpResponse(f"{later}\n", status=503, content_type="text/plain; charset=utf-8")
        reply["Retry-After"], reply["Cache-Control"] = str(later.seconds), "no-store"
        return reply
    except NotNow:
        raise
    except Refusal as refusal:
        words = guidance_text(refusal, collection=found.name)
        return HttpResponse(f"{words}\n", status=404, content_type="text/plain; charset=utf-8")
    version = f"version-{published.version}-" if published.version else ""
    stem = f"{found.name}-{version}{published.official}"
    analysis = boards.narrowed_analysis(published, shown_runs(found, request.user), wish.filters)
    file = analysis_file(analysis, form, stem, request.GET.get("of")) if analysis else None
    if file is None:
        raise Http404("There is no such table or figure.")
    return as_attachment(file.content, file.name, file.media_type)
