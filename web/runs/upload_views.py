"""Pages to upload runs: in parts and with progress by a script, or with a plain form."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Refusal
from pooling.collections.members import may
from pooling.errors import WrongOffset
from pooling.intake.run_transfers import abandon, append, begin, receive
from pooling.intake.upload_imports import submit_checked
from pooling.jobs import ring_for_upload
from pooling.models import CandidateSet, Collection, RunUpload, Team
from pooling.runs.candidate_sets import candidate_lines
from pooling.teams.rounds import allows_baselines
from pooling.teams.submission_policies import policy_of
from pooling.teams.teams import team_of, uploads_seen
from web.common.access import needs
from web.common.directions import guidance_text
from web.common.row_files import as_attachment
from web.common.shown_refusals import complain_if_refused, leave_out_if_asked
from web.common.visibility import hidden_queries
from web.runs import upload_pages as service
from web.runs.forms import SendRuns
from web.teams.pages import opening_for
from web.teams.run_requirements import run_requirements


@require_http_methods(["GET", "POST"])
@needs("submit run")
def send_runs(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the form for run files; a plain POST uploads all files at once."""
    policy, team = policy_of(collection), _submitting_team(request, collection)
    required = policy.required if policy else ()
    opening = opening_for(team)
    form = SendRuns(
        collection,
        request.POST or None,
        request.FILES or None,
        required=required,
        team=team,
        priorities=bool(opening["quota"] and opening["quota"].round.priorities),
        baselines=team is None or allows_baselines(collection),
    )
    if request.method == "POST" and form.is_valid():
        files = form.cleaned_data["run_files"]
        if not files:
            form.add_error("run_files", "Choose at least one file.")
        elif len(files) > 1 and form.cleaned_data["run_tag"]:
            form.add_error("run_tag", "A tag is for a single file. Leave it empty or send one file.")
        elif _receive_files(request, collection, form):
            return redirect("web:uploads", collection.name)
    context = {
        "collection": collection,
        "form": form,
        "policy": policy,
        "team": team,
        **opening,
        "may_send": True,
        "requirements": run_requirements(collection),
    }
    return render(request, "web/runs/send.html", context, status=422 if form.errors else 200)


@require_safe
@needs("submit run")
def candidates_file(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Return the candidates for reranking as a TREC run, for those who submit runs."""
    candidates = get_object_or_404(CandidateSet, collection=collection)
    lines = candidate_lines(candidates, hidden_queries(collection, request.user))
    return as_attachment("".join(lines), f"{collection.name}-candidates.txt", "text/plain; charset=utf-8")


def _submitting_team(request: HttpRequest, collection: Collection) -> Team | None:
    """Return the team that the person submits for; None for a member."""
    member = may(request.user, "upload run", collection)
    return None if member else team_of(request.user, collection)


def _receive_files(request: HttpRequest, collection: Collection, form: SendRuns) -> bool:
    """Accept every file and return whether that worked; the form shows a refusal."""
    for file in form.cleaned_data["run_files"]:
        try:
            upload, _ = receive(
                collection=collection,
                user=request.user,  # type: ignore[arg-type]
                key=f"form-{uuid.uuid4().hex}",
                stream=file,
                length=file.size,
                file_name=file.name,
                options=form.options(),
                check_only=form.cleaned_data["check_only"],
            )
        except Refusal as refusal:
            form.add_error("run_files", f"{file.name}: {refusal}")
            return False
        ring_for_upload(upload)
    return True


@require_POST
@needs("submit run")
def announce_upload(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Start an upload for the script; the response has the address for the file's parts."""
    form = SendRuns(collection, request.POST, team=_submitting_team(request, collection))
    size, key = _whole_number(request.POST.get("size_bytes", "")), request.POST.get("key", "")[:200]
    if not form.is_valid() or size is None:
        wrong = [f"{name}: {' '.join(map(str, said))}" for name, said in form.errors.items()]
        return JsonResponse({"problem": " ".join(wrong) or "The size is missing."}, status=422)
    try:
        upload, _ = begin(
            collection=collection,
            user=request.user,  # type: ignore[arg-type]
            key=key if key.isprintable() and key else uuid.uuid4().hex,
            length=size,
            file_name=request.POST.get("file_name", ""),
            options=form.options(),
            check_only=form.cleaned_data["check_only"],
        )
    except Refusal as refusal:
        return JsonResponse({"problem": guidance_text(refusal)}, status=422)
    return JsonResponse(_upload_progress(upload), status=201)


@require_POST
@needs("submit run")
def receive_upload_part(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Receive a part of a file in the request body; the header Upload-Offset gives its position."""
    upload = _own_upload(request, collection, key)
    offset, length = (
        _whole_number(request.headers.get(name, "")) for name in ("Upload-Offset", "Content-Length")
    )
    if offset is None or length is None:
        return JsonResponse({"problem": "Send the headers Upload-Offset and Content-Length."}, status=400)
    try:
        upload = append(upload, offset=offset, stream=request, length=length)
    except WrongOffset:
        upload.refresh_from_db()
        return JsonResponse(_upload_progress(upload), status=409)
    except Refusal as refusal:
        return JsonResponse({"problem": guidance_text(refusal)}, status=422)
    if upload.state == RunUpload.State.WAITING:
        ring_for_upload(upload)
    return JsonResponse(_upload_progress(upload))


def _whole_number(text: str) -> int | None:
    """Parse a whole number of at most 15 digits. Return None for other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _upload_progress(upload: RunUpload) -> dict[str, object]:
    where = [upload.collection.name, upload.pk]
    return {
        "offset": upload.received_bytes,
        "state": upload.state,
        "parts": reverse("web:send_part", args=where),
        "page": reverse("web:upload", args=where),
    }


@require_safe
@never_cache
@needs("submit run")
def uploads(request: HttpRequest, collection: Collection) -> HttpResponse:
    """List the run uploads that the person can see, newest first."""
    return render(
        request, "web/runs/uploads.html", service.uploads_page(collection, request.user, request.GET)
    )


@require_safe
@never_cache
@needs("submit run")
def upload(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Show one upload: its problems with their lines, or the results of the check."""
    found = _visible_upload(request, collection, key)
    return render(request, "web/runs/upload.html", service.upload_page(found, request.user))


@require_safe
@never_cache
@needs("submit run")
def upload_progress(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Render the progress part of an upload's page, for the script that refreshes it."""
    work = service.work_on_files(_visible_upload(request, collection, key))
    return render(request, "web/parts/work.html", {"work": work, "part": True})


@require_POST
@needs("submit run")
def submit(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Import a file that was uploaded to be checked."""
    found = _own_upload(request, collection, key)
    with complain_if_refused(request):
        ring_for_upload(submit_checked(found))
    return redirect("web:upload", collection.name, found.pk)


@require_POST
@needs("submit run")
def submit_all(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Import every file that this person uploaded and that passed a check."""
    for found in service.importable_uploads(collection, request.user):
        with complain_if_refused(request):
            ring_for_upload(submit_checked(found))
    return redirect("web:uploads", collection.name)


@require_POST
@needs("submit run")
def check_again(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Retry a failed check, or check a refused file without the lines of unknown queries."""
    found = _own_upload(request, collection, key)
    leave_out_if_asked(request, found)
    if found.state == RunUpload.State.WAITING:
        ring_for_upload(found)
    return redirect("web:upload", collection.name, found.pk)


@require_POST
@needs("submit run")
def discard_upload(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Discard an uploaded file that has not been imported."""
    found = _own_upload(request, collection, key)
    with complain_if_refused(request):
        abandon(found)
        messages.success(request, f"{found.file_name} was discarded.")
    return redirect("web:uploads", collection.name)


def _visible_upload(request: HttpRequest, collection: Collection, key: int) -> RunUpload:
    """Return an upload that the person can see. Raises Http404."""
    related = uploads_seen(request.user, collection).select_related("collection", "run", "user")
    found: RunUpload = get_object_or_404(related, pk=key)
    return found


def _own_upload(request: HttpRequest, collection: Collection, key: int) -> RunUpload:
    """Return the person's own upload. Nobody can continue another person's upload."""
    related = RunUpload.objects.select_related("collection")
    return get_object_or_404(related, collection=collection, user=request.user, pk=key)
