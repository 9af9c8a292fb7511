from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from config.plurals import many
from leaderboard.board.default_measure import default_measure, set_default_measure
from leaderboard.scoring.measure_names import parse_measure
from pooling.collections.collection_details import MOST, describe_collection, set_board_labels, set_run_depth
from pooling.collections.members import may
from pooling.intake.collections import set_language
from pooling.models import Collection, Pool
from web.collections import pages as collections
from web.collections.forms import DescribeCollection
from web.common.access import collection_in_sight, needs
from web.grading.pages import sees_grading
from web.grading.summaries import graded_progress


@require_safe
def collection(request: HttpRequest, name: str) -> HttpResponse:
    """Show a collection: its contents, next step, leaderboard card, and versions."""
    found = collection_in_sight(request.user, name)
    context = collections.collection_page(found, request.user)
    return render(request, "web/collections/collection.html", context)


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
    return render(request, "web/collections/collection_campaigns.html", context)


@require_safe
@needs("see everything")
def collection_settings(request: HttpRequest, collection: Collection) -> HttpResponse:
    """List the pages on which a collection's rules, people and description are changed."""
    return render(
        request,
        "web/collections/collection_settings.html",
        collections.settings_page(collection, request.user),
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
    return render(
        request, "web/collections/describe_collection.html", context, status=422 if form.errors else 200
    )
