from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import NotNow, Refusal
from config.plurals import many
from leaderboard.board.default_measure import default_measure, set_default_measure
from leaderboard.scoring.measure_names import parse_measure
from pooling.collections.collection_details import MOST, describe_collection, set_board_labels, set_run_depth
from pooling.collections.members import may
from pooling.intake.collections import set_language
from pooling.models import Collection, Pool
from web.boards import pages as boards
from web.collections import pages as collections
from web.collections.forms import DescribeCollection
from web.common.access import collection_for, collection_in_sight, needs
from web.common.analysis_tables import FORMS, analysis_file
from web.common.directions import guidance_text
from web.common.outdated_versions import outdated_for
from web.common.row_files import as_attachment
from web.common.visibility import shown_runs
from web.errors import BoardBeingDrawn
from web.grading.pages import sees_grading
from web.grading.summaries import graded_progress


@require_safe
def collection(request: HttpRequest, name: str) -> HttpResponse:
    """Show a collection: its contents, next step, leaderboard card, and versions."""
    found = collection_in_sight(request.user, name)
    context = collections.collection_page(found, request.user)
    return render(request, "web/collection.html", context)


@require_safe
@needs("see everything")
def pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    return render(request, "web/pools.html", collections.pools_page(collection, request.user))


@require_safe
def campaign_lists(request: HttpRequest, name: str) -> HttpResponse:
    """List the campaigns of a collection that the person can see."""
    found = collection_in_sight(request.user, name)
    context = {
        "collection": found,
        "lists": (lists := collections.collection_campaigns(found, request.user)),
        "campaigns": lists.current,
        "may_prepare": may(request.user, "prepare campaign", found),
        "sees_grading": (sees := sees_grading(request.user, found)),
        "graded": graded_progress([found]) if sees else [],
        "pools": Pool.objects.filter(collection=found).exists(),
    }
    return render(request, "web/collection_campaigns.html", context)


@require_safe
@needs("see everything")
def collection_settings(request: HttpRequest, collection: Collection) -> HttpResponse:
    """List the pages on which a collection's rules, people and description are changed."""
    return render(
        request, "web/collection_settings.html", collections.settings_page(collection, request.user)
    )


@require_http_methods(["GET", "POST"])
@needs("describe collection")
def edit_description(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show and edit a collection's description, language, limit for runs, and leaderboard defaults."""
    said = {name: getattr(collection, name) for name in (*MOST, "language", "max_run_depth")}
    said["board_measure"] = parse_measure(default_measure(collection)).mean_name
    form = DescribeCollection(collection, request.POST if request.method == "POST" else None, initial=said)
    if request.method == "POST" and form.is_valid():
        who = request.user.get_username()
        language = form.cleaned_data.pop("language")
        depth = form.cleaned_data.pop("max_run_depth") or collection.max_run_depth
        before = set_run_depth(collection=collection, depth=depth, who=who)
        if before != depth:
            messages.success(request, f"A run can now have up to {many(depth, 'passage')} per query.")
        labels = form.cleaned_data.pop("board_labels", "")
        if labels and set_board_labels(collection=collection, name=labels, who=who):
            messages.success(request, f"The leaderboard now uses the labels {labels} by default.")
        measure = form.cleaned_data.pop("board_measure")
        if measure and set_default_measure(collection=collection, name=measure, who=who):
            name = parse_measure(measure).mean_name
            messages.success(request, f"The leaderboard now ranks runs by {name} by default.")
        before_language = set_language(collection, language, who=who)
        if (
            describe_collection(collection=collection, changes=form.cleaned_data, who=who)
            or language != before_language
        ):
            messages.success(
                request, f"The description of {collection.name} is saved. New bundles will include it."
            )
        return redirect("web:collection", collection.name)
    context = {"collection": collection, "form": form}
    return render(request, "web/describe_collection.html", context, status=422 if form.errors else 200)


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
        "next_step": collections.next_step(found, request.user)
        if board.published and not board.versions
        else None,
        "drawing": address,
    }
    reply = render(request, "web/leaderboard.html", context, status=_board_status(board, request))
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
