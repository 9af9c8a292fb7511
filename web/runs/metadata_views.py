"""Pages for run details: describe many runs from a table, and choose which details teams provide."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from config.plurals import many
from leaderboard.scoring.measure_names import is_measure
from pooling.models import AnnouncedRun, Collection
from pooling.run_details import value_in_words
from pooling.services.run_fields import known_details, set_run_fields
from pooling.services.run_metadata import import_run_metadata, withdraw_announcements
from web.common.access import needs
from web.common.shown_refusals import add_error_if_refused
from web.runs.metadata_forms import RunFieldsForm, RunTable

ANNOUNCED_A_PAGE = 50


@require_http_methods(["GET", "POST"])
@needs("edit run")
def run_metadata(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Describe many runs with a table, and list runs that are announced."""
    form = RunTable(request.POST, request.FILES) if request.method == "POST" else RunTable()
    found = None
    if request.method == "POST" and form.is_valid():
        said, check_only = form.cleaned_data, form.cleaned_data["check_only"]
        with add_error_if_refused(form):
            found = import_run_metadata(
                collection=collection,
                text=said["text"],
                name=said["name"],
                is_measure=is_measure,
                who=request.user.get_username(),
                dry_run=check_only,
            )
        if found and not check_only:
            messages.success(
                request,
                f"{many(len(found.described), 'run')} described, {many(len(found.announced), 'run')} announced, "
                f"{len(found.unchanged)} left unchanged.",
            )
            return redirect("web:run_metadata", collection.name)
    waiting = AnnouncedRun.objects.filter(collection=collection, run=None).order_by("pk")
    page = Paginator(waiting, ANNOUNCED_A_PAGE).get_page(request.GET.get("page"))
    known = known_details(collection)
    for one in page.object_list:
        said = one.said.get("details", {})
        shown = [
            f"{detail.label.lower()} {value_in_words(detail, said[name])}"
            for name, detail in known.items()
            if name in said
        ]
        one.in_words = " · ".join(shown)  # type: ignore[attr-defined]
    context = {
        "collection": collection,
        "form": form,
        "found": found,
        "page": page,
        "columns": ["run", "group", "description", "paper", "code", "baseline", "submitted_on", *known],
    }
    return render(request, "web/run_metadata.html", context, status=422 if form.errors else 200)


@require_POST
@needs("edit run")
def withdraw_announced(request: HttpRequest, collection: Collection) -> HttpResponse:
    tags = request.POST.getlist("run")[:ANNOUNCED_A_PAGE]
    gone = withdraw_announcements(collection=collection, run_tags=tags, who=request.user.get_username())
    messages.success(
        request, f"{many(gone, 'announced run')} withdrawn." if gone else "Choose runs to withdraw."
    )
    return redirect("web:run_metadata", collection.name)


@require_http_methods(["GET", "POST"])
@needs("describe collection")
def run_fields(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Choose the details asked for each run, and define own fields."""
    form = RunFieldsForm(collection, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with add_error_if_refused(form, "own"):
            set_run_fields(collection=collection, **form.chosen(), who=request.user.get_username())
            messages.success(request, "The run details are saved.")
            return redirect("web:run_fields", collection.name)
    context = {"collection": collection, "form": form}
    return render(request, "web/run_fields.html", context, status=422 if form.errors else 200)
