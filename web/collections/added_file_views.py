"""Pages that add labels, candidates and passage files to a collection, or fetch missing texts."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pooling.intake.added_files import ask_to_add
from pooling.intake.file_transfers import abandon_files
from pooling.jobs import ring_for_files
from pooling.models import AddedFiles, Collection
from pooling.runs.candidate_sets import drop_candidates
from web.collections.forms import AddFiles
from web.common.access import needs
from web.common.shown_refusals import add_error_if_refused, complain_if_refused, leave_out_if_asked
from web.runs.upload_pages import added_page, adding_page, work_on_files


@require_http_methods(["GET", "POST"])
@needs("add files")
def add_collection_files(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the form, the collection's files and earlier uploads; a job adds the submitted files."""
    form = AddFiles(request.POST, request.FILES) if request.method == "POST" else AddFiles()
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        with add_error_if_refused(form, "set"):
            wanted = ask_to_add(
                collection=collection,
                user=request.user,  # type: ignore[arg-type]
                details={name: said[name] for name in ("set", "min_grade", "skip_unknown", "withheld")},
                sent=form.sent(),
                there=form.on_server(),
            )
            ring_for_files(wanted)
            return redirect("web:added", collection.name, wanted.pk)
    page = adding_page(collection) | {"form": form}
    return render(request, "web/collections/add_files.html", page, status=422 if form.errors else 200)


@require_POST
@needs("add files")
def fetch_texts(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Start looking for missing texts in the known passage files."""
    with complain_if_refused(request):
        wanted = ask_to_add(collection=collection, user=request.user)  # type: ignore[arg-type]
        ring_for_files(wanted)
        page = reverse("web:added", args=[collection.name, wanted.pk])
        back = _checked_address(request, request.POST.get("next", ""))
        return redirect(f"{page}?{urlencode({'next': back})}" if back else page)
    return redirect("web:add_files", collection.name)


def _checked_address(request: HttpRequest, address: str) -> str:
    """Return the address of the page to go back to; empty if it is not on this site."""
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())
    return address if ours else ""


@require_POST
@needs("add files")
def remove_candidates(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Remove the candidates for reranking: any passage may then be in a reranked run."""
    if "sure" not in request.POST:
        messages.error(request, "Nothing was removed. Tick the box to discard the candidates.")
    elif drop_candidates(collection=collection, who=request.user.get_username()):
        messages.success(request, "The candidates for reranking were removed.")
    return redirect("web:add_files", collection.name)


@require_safe
@never_cache
@needs("add files")
def added(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Show the progress of adding files, the result, or every problem with its file and line."""
    wanted = get_object_or_404(AddedFiles, collection=collection, pk=key)
    back = _checked_address(request, request.GET.get("next", ""))
    return render(request, "web/collections/added.html", added_page(wanted, request.user) | {"back": back})


@require_safe
@never_cache
@needs("add files")
def adding(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Render the progress part of the added-files page, for the script that refreshes it."""
    wanted = get_object_or_404(AddedFiles, collection=collection, pk=key)
    context = {"work": work_on_files(wanted), "part": True, "checks_files": True}
    return render(request, "web/parts/work.html", context | {"collection": collection, "added": wanted})


@require_POST
@needs("add files")
def read_again(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Retry a failed read, or read refused files again without the lines of unknown queries."""
    wanted = get_object_or_404(AddedFiles, collection=collection, user=request.user, pk=key)
    leave_out_if_asked(request, wanted)
    if wanted.state == AddedFiles.State.WAITING:
        ring_for_files(wanted)
    return redirect("web:added", collection.name, wanted.pk)


@require_POST
@needs("add files")
def discard_added_files(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Discard files that have not been read, or that were refused only for unknown queries."""
    wanted = get_object_or_404(AddedFiles, collection=collection, user=request.user, pk=key)
    with complain_if_refused(request):
        abandon_files(wanted)
        messages.success(request, f"{wanted} was discarded.")
        return redirect("web:add_files", collection.name)
    return redirect("web:added", collection.name, key)
