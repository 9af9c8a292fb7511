"""API to create collections, and to add labels and passages. Files are announced, then sent in parts."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from pooling.collections.collection_details import MOST
from pooling.intake.file_transfers import (
    Arriving,
    abandon_files,
    announce_collection,
    announce_files,
    file_of,
    receive_part,
)
from pooling.intake.new_collections import may_create
from pooling.intake.sent_files import AnnouncedFile
from pooling.jobs import ring_for_collection, ring_for_files
from pooling.models import AddedFiles, NewCollection
from web.api.bodies import Body
from web.api.callers import actor, collection_to_change, reader
from web.api.parts import FILE, Key, Offset, length_of, own_upload
from web.api.works import Text, WorkOut, work_out
from web.collections.api import router as collections_router
from web.common.access import collection_for
from web.runs.upload_api import ProblemOut
from web.runs.upload_pages import work_on_files

router = Router()
Grade = Annotated[int, Field(ge=-100, le=100)]
OnServer = Annotated[list[Annotated[Text, Field(max_length=200)]], Field(max_length=100)]


class Promised(Body):
    """A file to be sent: its kind, name and size."""

    what: Literal["queries", "passages", "qrels", "candidates"]
    file_name: Annotated[Text, Field(max_length=200)]
    size_bytes: Annotated[int, Field(ge=1, le=2**53)]


class NewCollectionIn(Body):
    """A new collection and its files. ``on_server`` names passage files that are already on the server."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]
    title: Annotated[Text, Field(max_length=MOST["title"])] = ""
    description: Annotated[Text, Field(max_length=MOST["description"])] = ""
    license: Annotated[Text, Field(max_length=MOST["license"])] = ""
    citation: Annotated[Text, Field(max_length=MOST["citation"])] = ""
    language: Annotated[Text, Field(max_length=20)] = "en"
    min_grade: Grade = 1
    skip_unknown: bool = False
    files: Annotated[list[Promised], Field(min_length=1, max_length=100)]
    on_server: OnServer = []


class AddedFilesIn(Body):
    """Passage files, candidates for reranking, and labels with the name of their set.

    Without any file, missing texts are fetched, including those of the first 10 passages of every run.
    """

    set: Annotated[Text, Field(max_length=80)] = ""
    min_grade: Grade = 1
    skip_unknown: bool = False
    withheld: bool = False
    files: Annotated[list[Promised], Field(max_length=100)] = []
    on_server: OnServer = []


class FileOut(Schema):
    """A file and its number in the addresses for its parts; sizes are null for a file on the server."""

    number: int
    what: str
    file_name: str
    size_bytes: int | None
    received_bytes: int | None


class FileProblem(ProblemOut):
    """A problem with one of the files."""

    file: str


class SentOut(Schema):
    """The state of sent files.

    It is ``receiving`` while parts are missing, and ``waiting`` while a job reads the files. The final state is
    ``made`` (a new collection), ``added`` or ``refused``. A refusal applies to all files. ``problems`` lists the
    first problems, and ``problem_counts`` counts all of them by kind. ``work`` is the job that reads the files. If
    the job failed, repeat the announcement with the same key to retry.
    """

    id: int
    collection: str
    state: str
    files: list[FileOut]
    outcome: dict[str, Any]
    problems: list[FileProblem]
    problem_counts: dict[str, int]
    work: WorkOut | None
    created_at: datetime
    finished_at: datetime | None


@collections_router.post(
    "/collections",
    response={201: SentOut, 200: SentOut},
    summary="Announce a new collection and its files; the same key returns the same announcement",
)
def make_collection(
    request: HttpRequest, response: HttpResponse, asked: NewCollectionIn, idempotency_key: Key
) -> Status[dict[str, Any]]:
    user = _collection_creator(request)
    wanted, new = announce_collection(
        user=user,
        key=idempotency_key,
        name=asked.name,
        details=asked.dict(include={*MOST, "language", "min_grade", "skip_unknown"}),
        files=_announced_files(asked.files),
        on_server=asked.on_server,
    )
    return Status(201 if new else 200, _sent_files_out(response, _start_job_if_waiting(wanted)))


@router.get("/new-collections/{int:key}", response=SentOut, summary="Get the state of a new collection")
def read_new_collection(request: HttpRequest, response: HttpResponse, key: int) -> dict[str, Any]:
    user = reader(request)
    mine = NewCollection.objects.filter(user=user if user.is_authenticated else None)
    return _sent_files_out(response, get_object_or_404(mine.exclude(user=None), pk=key))


@router.patch(
    "/new-collections/{int:key}/files/{int:number}",
    response=SentOut,
    summary="Send the part of a file that starts at Upload-Offset as the request body",
    openapi_extra=FILE,
)
def send_part_of_collection(
    request: HttpRequest, response: HttpResponse, key: int, number: int, upload_offset: Offset
) -> dict[str, Any]:
    wanted = get_object_or_404(NewCollection, user=_collection_creator(request), pk=key)
    return _take_part(request, response, wanted, number, upload_offset)


@router.delete(
    "/new-collections/{int:key}",
    response={204: None},
    summary="Discard files that have not been read, or a refusal",
)
def drop_new_collection(request: HttpRequest, key: int) -> Status[None]:
    abandon_files(get_object_or_404(NewCollection, user=_collection_creator(request), pk=key))
    return Status(204, None)


@router.post(
    "/collections/{name}/files",
    response={201: SentOut, 200: SentOut},
    summary="Announce labels, candidates for reranking and passage files; without any, fetch missing texts",
)
def add_files(
    request: HttpRequest, response: HttpResponse, name: str, asked: AddedFilesIn, idempotency_key: Key
) -> Status[dict[str, Any]]:
    user, found = collection_to_change(request, name, "add files", ApiToken.Scope.RUNS)
    wanted, new = announce_files(
        collection=found,
        user=user,
        key=idempotency_key,
        details=asked.dict(include={"set", "min_grade", "skip_unknown", "withheld"}),
        files=_announced_files(asked.files),
        on_server=asked.on_server,
    )
    return Status(201 if new else 200, _sent_files_out(response, _start_job_if_waiting(wanted)))


@router.get("/collections/{name}/files/{int:key}", response=SentOut, summary="Get the state of added files")
def read_added_files(request: HttpRequest, response: HttpResponse, name: str, key: int) -> dict[str, Any]:
    found = collection_for(reader(request), name, "add files")
    return _sent_files_out(response, get_object_or_404(AddedFiles, collection=found, pk=key))


@router.patch(
    "/collections/{name}/files/{int:key}/{int:number}",
    response=SentOut,
    summary="Send the part of a file that starts at Upload-Offset as the request body",
    openapi_extra=FILE,
)
def send_part_of_files(
    request: HttpRequest, response: HttpResponse, name: str, key: int, number: int, upload_offset: Offset
) -> dict[str, Any]:
    return _take_part(request, response, _own_added_files(request, name, key), number, upload_offset)


@router.delete(
    "/collections/{name}/files/{int:key}",
    response={204: None},
    summary="Discard files that have not been read, or that were refused only for unknown queries",
)
def drop_added_files(request: HttpRequest, name: str, key: int) -> Status[None]:
    abandon_files(_own_added_files(request, name, key))
    return Status(204, None)


def _collection_creator(request: HttpRequest) -> Any:
    user = actor(request, ApiToken.Scope.RUNS)
    if not may_create(user):
        raise PermissionDenied("Only administrators and owners can create collections here.")
    return user


def _own_added_files(request: HttpRequest, name: str, key: int) -> AddedFiles:
    return own_upload(request, name, key, AddedFiles.objects.all(), "add files")


def _announced_files(promised: list[Promised]) -> list[AnnouncedFile]:
    return [AnnouncedFile(one.what, one.file_name, one.size_bytes) for one in promised]


def _take_part(
    request: HttpRequest,
    response: HttpResponse,
    wanted: NewCollection | AddedFiles,
    number: int,
    offset: int,
) -> dict[str, Any]:
    wanted = receive_part(wanted, number, offset=offset, stream=request, length=length_of(request))
    response["Upload-Offset"] = str(file_of(wanted, number)["received_bytes"])
    return _sent_files_out(response, _start_job_if_waiting(wanted))


def _start_job_if_waiting(wanted: Arriving) -> Arriving:
    """Start the job that reads the files if all of them have arrived, or retry it if it failed. Return ``wanted``."""
    if wanted.state == NewCollection.State.WAITING:
        if isinstance(wanted, NewCollection):
            ring_for_collection(wanted)
        else:
            ring_for_files(wanted)
    return wanted


def _sent_files_out(response: HttpResponse, wanted: Arriving) -> dict[str, Any]:
    if isinstance(wanted, NewCollection):
        collection, outcome = wanted.name, {}
        response["Location"] = reverse("v1:read_new_collection", args=[wanted.pk])
    else:
        collection, outcome = wanted.collection.name, wanted.outcome
        response["Location"] = reverse("v1:read_added_files", args=[collection, wanted.pk])
    same = ("state", "problems", "problem_counts", "created_at", "finished_at")
    work = work_on_files(wanted)
    return {name: getattr(wanted, name) for name in same} | {
        "id": wanted.pk,
        "work": work_out(work.job) if work else None,
        "collection": collection,
        "outcome": outcome,
        "files": [_file_out(number, file) for number, file in enumerate(wanted.files, 1)],
    }


def _file_out(number: int, file: dict[str, Any]) -> dict[str, Any]:
    sizes = {name: file.get(name) for name in ("size_bytes", "received_bytes")}
    return {"number": number, "what": file["what"], "file_name": file["name"], **sizes}
