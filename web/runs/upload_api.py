"""API of run uploads: send files whole or in parts, check or import them, and track their state."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Query, Router, Schema, Status

from accounts.models import ApiToken
from pooling.intake.run_transfers import abandon, append, begin, receive
from pooling.intake.upload_imports import submit_checked
from pooling.jobs import ring_for_upload
from pooling.models import RunUpload
from pooling.teams.teams import uploads_seen
from web.api.caller_guidance import Guided
from web.api.callers import collection_to_change, reader
from web.api.parts import FILE, Key, Offset, length_of, own_upload
from web.api.works import WorkOut, work_out
from web.common.access import collection_for
from web.common.visibility import hidden_queries, without_private
from web.runs.api import UploadOptions, router as runs_router
from web.runs.upload_pages import work_on_files

router = Router()


class Announcement(UploadOptions):
    """A file to be sent in parts: its size, how to read it, and the run's description."""

    size_bytes: Annotated[int, Field(ge=1, le=2**53)]


class ProblemOut(Schema):
    """A problem with a file; line 0 means the whole file or its description. ``text`` is the line's beginning."""

    line: int
    kind: str = ""
    reason: str
    next_step: Guided
    text: str = ""


class UploadOut(Schema):
    """A sent file.

    Its state is ``receiving`` while parts are missing, ``waiting`` until it is checked, and then ``imported``,
    ``refused``, or ``checked`` if only a check was asked for. ``problems`` are the first hundred, some of each kind;
    ``problem_counts`` counts all, by kind. ``work`` is the job that checks the file. If it failed, repeat the
    announcement with the same key to retry.
    """

    id: int
    file_name: str
    sha256: str
    size_bytes: int
    received_bytes: int
    check_only: bool
    state: str
    run_id: int | None
    report: dict[str, Any]
    problems: list[ProblemOut]
    problem_counts: dict[str, int]
    work: WorkOut | None
    created_at: datetime
    finished_at: datetime | None

    @staticmethod
    def resolve_work(upload: RunUpload) -> dict[str, Any] | None:
        """Return the job that checks the file; None unless the upload is waiting for the check."""
        work = work_on_files(upload)
        return work_out(work.job) if work else None


# This call shares its address with the list of runs, and all methods of an address must be in one router.
@runs_router.post(
    "/collections/{name}/runs",
    response={202: UploadOut, 200: UploadOut},
    summary="Send a run file as the request body; it is checked and imported in the background",
    openapi_extra=FILE,
)
def upload_run(
    request: HttpRequest,
    response: HttpResponse,
    name: str,
    options: Query[UploadOptions],
    idempotency_key: Key,
) -> Status[RunUpload]:
    user, found = collection_to_change(request, name, "submit run", ApiToken.Scope.RUNS)
    upload, new = receive(
        collection=found,
        user=user,
        key=idempotency_key,
        stream=request,
        length=length_of(request),
        file_name=options.file_name,
        options=_upload_options(options),
        check_only=options.check_only,
    )
    return Status(202 if new else 200, _upload_out(response, name, upload))


@router.post(
    "/collections/{name}/uploads",
    response={201: UploadOut, 200: UploadOut},
    summary="Announce a run file to send in parts; the same key returns the same upload",
)
def begin_upload(
    request: HttpRequest, response: HttpResponse, name: str, asked: Announcement, idempotency_key: Key
) -> Status[RunUpload]:
    user, found = collection_to_change(request, name, "submit run", ApiToken.Scope.RUNS)
    upload, new = begin(
        collection=found,
        user=user,
        key=idempotency_key,
        length=asked.size_bytes,
        file_name=asked.file_name,
        options=_upload_options(asked),
        check_only=asked.check_only,
    )
    return Status(201 if new else 200, _upload_out(response, name, upload))


@router.get(
    "/collections/{name}/uploads/{int:key}",
    response=UploadOut,
    summary="Get the state of a sent file; Upload-Offset is the number of bytes received",
)
def read_upload(request: HttpRequest, response: HttpResponse, name: str, key: int) -> RunUpload:
    user = reader(request)
    found = collection_for(user, name, "submit run")
    upload: RunUpload = get_object_or_404(uploads_seen(user, found), pk=key)
    upload.report = without_private(upload.report, hidden_queries(found, user))
    response["Upload-Offset"] = str(upload.received_bytes)
    return upload


@router.patch(
    "/collections/{name}/uploads/{int:key}",
    response=UploadOut,
    summary="Send the part of the file that starts at Upload-Offset as the request body",
    openapi_extra=FILE,
)
def send_part(
    request: HttpRequest, response: HttpResponse, name: str, key: int, upload_offset: Offset
) -> RunUpload:
    upload = _own_upload_to_continue(request, name, key)
    upload = append(upload, offset=upload_offset, stream=request, length=length_of(request))
    return _upload_out(response, name, upload)


@router.post(
    "/collections/{name}/uploads/{int:key}/submit",
    response={202: UploadOut},
    summary="Import a file that was only checked, without sending it again",
)
def submit_upload(request: HttpRequest, response: HttpResponse, name: str, key: int) -> Status[RunUpload]:
    return Status(
        202, _upload_out(response, name, submit_checked(_own_upload_to_continue(request, name, key)))
    )


@router.delete(
    "/collections/{name}/uploads/{int:key}",
    response={204: None},
    summary="Discard a file that is unfinished, unchecked, or only checked",
)
def drop_upload(request: HttpRequest, name: str, key: int) -> Status[None]:
    abandon(_own_upload_to_continue(request, name, key))
    return Status(204, None)


def _own_upload_to_continue(request: HttpRequest, name: str, key: int) -> RunUpload:
    return own_upload(request, name, key, RunUpload.objects.select_related("collection"), "submit run")


def _upload_out(response: HttpResponse, name: str, upload: RunUpload) -> RunUpload:
    """Start the upload's check if it is waiting, and return the upload with its address and received size."""
    if upload.state == RunUpload.State.WAITING:
        ring_for_upload(upload)
    response["Location"] = reverse("v1:read_upload", args=[name, upload.pk])
    response["Upload-Offset"] = str(upload.received_bytes)
    return upload


def _upload_options(options: UploadOptions) -> dict[str, Any]:
    return options.model_dump(
        mode="json", exclude={"file_name", "check_only", "size_bytes"}, exclude_none=True
    )
