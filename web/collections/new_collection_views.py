"""Pages that create collections, from uploaded files or from the bundled sample."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.row_keys import row_key
from pooling.collections.collection_details import MOST
from pooling.collections.members import visible_to
from pooling.intake.file_transfers import abandon_files
from pooling.intake.new_collections import ask_for_collection, may_create
from pooling.jobs import ring_for_collection
from pooling.models import NewCollection
from web.collections.forms import CreateCollection
from web.collections.jobs import ring_for_sample
from web.collections.sample import judges_here
from web.common.shown_refusals import add_error_if_refused, complain_if_refused, leave_out_if_asked
from web.runs.upload_pages import making_page, work_on_files


def _refuse_others(request: HttpRequest) -> None:
    if not may_create(request.user):
        raise PermissionDenied("Only administrators and owners can create collections here.")


@require_http_methods(["GET", "POST"])
@login_required
def create(request: HttpRequest) -> HttpResponse:
    """Show the form for a new collection; a job creates it from the submitted files."""
    _refuse_others(request)
    form = CreateCollection(
        request.POST or None, request.FILES or None, initial=_values_of_refused_upload(request)
    )
    if request.method == "POST" and form.is_valid():
        with add_error_if_refused(form, "name"):
            return redirect("web:making", _announce_collection(request, form).pk)
    return render(
        request, "web/collections/create_collection.html", {"form": form}, status=422 if form.errors else 200
    )


def _values_of_refused_upload(request: HttpRequest) -> dict[str, Any] | None:
    """Return the form values of a refused upload, so that only the files must be chosen again."""
    key = row_key(request.GET.get("again", ""))
    before = NewCollection.objects.filter(user=request.user, pk=key).first() if key else None  # type: ignore[misc]
    return {"name": before.name, **before.details} if before else None


def _announce_collection(request: HttpRequest, form: CreateCollection) -> NewCollection:
    said = form.cleaned_data
    wanted = ask_for_collection(
        user=request.user,  # type: ignore[arg-type]
        name=said["name"],
        details={name: said[name] for name in (*MOST, "language", "min_grade", "skip_unknown")},
        sent=form.sent(),
        there=form.on_server(),
    )
    ring_for_collection(wanted)
    return wanted


@require_safe
@never_cache
@login_required
def making(request: HttpRequest, key: int) -> HttpResponse:
    """Show the progress of creating a collection, or every problem with its file and line.

    Once the collection exists, redirect to it.
    """
    wanted = get_object_or_404(NewCollection.objects.select_related("collection"), user=request.user, pk=key)
    if wanted.state == NewCollection.State.MADE and wanted.collection:
        messages.success(request, f"{wanted.collection.name} was created. Upload runs next.")
        return redirect("web:collection", wanted.collection.name)
    return render(request, "web/collections/making.html", making_page(wanted))


@require_safe
@never_cache
@login_required
def making_progress(request: HttpRequest, key: int) -> HttpResponse:
    """Render the progress part of the page that shows a collection being created."""
    wanted = get_object_or_404(NewCollection, user=request.user, pk=key)
    return render(
        request, "web/parts/work.html", {"work": work_on_files(wanted), "part": True, "checks_files": True}
    )


@require_POST
@login_required
def retry_collection(request: HttpRequest, key: int) -> HttpResponse:
    """Retry creating a collection, or create it without the labels of unknown queries."""
    wanted = get_object_or_404(NewCollection, user=request.user, pk=key)
    leave_out_if_asked(request, wanted)
    if wanted.state == NewCollection.State.WAITING:
        ring_for_collection(wanted)
    return redirect("web:making", wanted.pk)


@require_POST
@login_required
def discard_new_collection(request: HttpRequest, key: int) -> HttpResponse:
    """Discard files from which no collection was created, or dismiss a refusal.

    Repeating this changes nothing.
    """
    wanted = NewCollection.objects.filter(user=request.user, pk=key).first()  # type: ignore[misc]
    if wanted is None:
        return redirect("web:collections")
    refused = wanted.state == NewCollection.State.REFUSED
    with complain_if_refused(request):
        abandon_files(wanted)
        if refused:
            messages.success(request, f"The refused request for {wanted.name} was dismissed.")
            return redirect("web:collections")
        messages.success(request, f"The files of {wanted.name} were discarded.")
        return redirect("web:create_collection")
    return redirect("web:making", key)


@require_POST
@login_required
def load_sample(request: HttpRequest) -> HttpResponse:
    """Load the sample: queries, passages, labels and ten runs."""
    _refuse_others(request)
    judged = "judged" in request.POST and judges_here(request.user)
    ring_for_sample(request.user.pk, judged=judged)  # type: ignore[arg-type]
    messages.success(request, "The sample is being loaded. It will appear under Collections in a moment.")
    # The page with this form updates itself: the home page as long as it is empty, then the list of collections.
    return redirect("web:collections" if visible_to(request.user).exists() else "web:home")
