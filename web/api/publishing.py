"""Versions: published, held side by side, made into bundles."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.http import quote_etag
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from accounts.models import ApiToken
from tournament.models import QrelVersion
from web import jobs
from web.access import campaign_for, collection_for, require
from web.api.bodies import Body, DryRun
from web.api.callers import actor, reader
from web.api.works import WorkOut, work_out
from web.services.release import store
from web.services.release.bundle import bundle_of, counted
from web.services.release.kept import given_out
from web.services.release.scope import Scope
from web.services.release_page import Line, made_lines
from web.services.version_changes import differences
from web.services.version_rows import change_row, query_row
from web.services.versions import FILTERS, Wish, asked_queries, lines_of

router = Router()
Number = Annotated[int, Field(ge=1, le=999_999_999)]
Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]


class PublishIn(Body):
    """``dry_run`` only says what would change; ``as_shown``, the fingerprint that it gave, is needed to publish."""

    allow_open: bool = False
    dry_run: DryRun = False
    as_shown: Annotated[str, Field(max_length=64)] = ""


class RowPage(Schema):
    """Some of the rows; ``count`` is of all that fit."""

    count: int
    rows: list[dict[str, Any]]


class MadeOut(Schema):
    """A bundle that was made.

    ``withheld`` says why it is given out no more, ``no_longer_released`` what it tells that is not released any more.
    """

    sha256: str
    size: int
    made_at: datetime
    withheld: str
    no_longer_released: list[str]


class BundleOut(Schema):
    """A version's bundle: what it has and leaves out as far as that was counted; its file when it was made.

    ``made``, ``size`` and ``sha256`` are of the newest that is given out, ``current`` says whether anything changed
    since; ``bundles`` are all, the newest first.
    """

    made: bool
    current: bool
    size: int | None = None
    sha256: str = ""
    counts: dict[str, int] | None = None
    left_out: dict[str, int] | None = None
    files: dict[str, int] | None = None
    bundles: list[MadeOut]
    work: WorkOut | None = None


@router.post(
    "/campaigns/{name}/publishing",
    response={202: WorkOut},
    summary="Publish the next version of the collection's preference qrels, or ask what that would change",
)
def publish(request: HttpRequest, name: str, asked: PublishIn) -> Status[dict[str, Any]]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name)
    require(user, "see everything" if asked.dry_run else "publish version", found.collection)
    if asked.dry_run:
        return Status(202, work_out(jobs.ring_for_preview(found, allow_open=asked.allow_open)))
    if not asked.as_shown:
        raise HttpError(422, "Say in as_shown the fingerprint that dry_run gave: what was seen is published.")
    who = user.get_username()
    job = jobs.ring_for_publishing(found, allow_open=asked.allow_open, as_shown=asked.as_shown, who=who)
    return Status(202, work_out(job))


@router.get("/campaigns/{name}/publishing/{int:key}", response=WorkOut, summary="What became of it")
def read_publishing(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = campaign_for(user := reader(request), name)
    require(user, "see everything", found.collection)
    return work_out(get_object_or_404(jobs.version_work(found), pk=key))


@router.get(
    "/collections/{name}/versions/{int:number}/queries",
    response=RowPage,
    summary="The queries of a version with their best answers",
)
def read_queries(
    request: HttpRequest,
    name: str,
    number: int,
    show: str = "",
    q: Annotated[str, Query(max_length=500)] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    if show not in FILTERS:
        raise HttpError(400, f"show is one of: {', '.join(key for key in FILTERS if key)}.")
    user = reader(request)
    version = _version(user, name, number)
    rows = asked_queries(version, Wish(show, q.strip()), user)
    part = lines_of(version, list(rows[offset : offset + limit]), user)
    return {"count": rows.count(), "rows": [query_row(line) for line in part]}


@router.get(
    "/collections/{name}/versions/{int:number}/changes",
    response=RowPage,
    summary="What a version says otherwise than another (its parent by default), and why",
)
def read_changes(
    request: HttpRequest,
    name: str,
    number: int,
    since: Number | None = None,
    show: Literal["", "answers", "status", "arrived", "left"] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    user = reader(request)
    version = _version(user, name, number)
    before = _version(user, name, since) if since else version.parent
    told_of = differences(version, before, user)
    part = told_of.chosen(show, "")
    return {
        "count": len(part),
        "rows": [change_row(line) for line in told_of.lines(part[offset : offset + limit])],
    }


@router.get(
    "/collections/{name}/versions/{int:number}/bundle",
    response=BundleOut,
    summary="The bundle to publish: what it has and leaves out, and whether it was made",
)
def read_bundle(request: HttpRequest, name: str, number: int) -> dict[str, Any]:
    user = reader(request)
    version = _version(user, name, number)
    require(user, "export judgments", version.collection)
    scope = Scope(version)
    made, current = given_out(scope), bundle_of(scope)
    summary = current.summary if current else counted(scope) or (made.summary if made else {})
    newest = jobs.release_work(version).first()
    return {
        "made": made is not None,
        "current": made is not None and made == current,
        "size": made.size if made else None,
        "sha256": made.sha256 if made else "",
        **{key: summary.get(key) for key in ("counts", "left_out", "files")},
        "bundles": [_line(line) for line in made_lines(scope)],
        "work": work_out(newest) | {"result": None} if newest else None,
    }


def _line(line: Line) -> dict[str, Any]:
    facts = {name: getattr(line.made, name) for name in ("sha256", "size", "made_at")}
    return facts | {"withheld": line.withheld, "no_longer_released": line.no_longer}


@router.post(
    "/collections/{name}/versions/{int:number}/bundle",
    response={202: WorkOut},
    summary="Have the bundle to publish made",
)
def make_bundle(request: HttpRequest, name: str, number: int) -> Status[dict[str, Any]]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    version = _version(user, name, number)
    require(user, "publish version", version.collection)
    return Status(202, work_out(jobs.ring_for_release(version, only_count=False)) | {"result": None})


@router.get(
    "/collections/{name}/versions/{int:number}/bundle.zip",
    summary="The bundle itself: the newest, or the one of this SHA-256",
    openapi_extra={
        "responses": {
            200: {
                "description": "OK",
                "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
)
def read_bundle_file(
    request: HttpRequest, name: str, number: int, sha256: Annotated[str, Query(max_length=64)] = ""
) -> FileResponse:
    user = reader(request)
    version = _version(user, name, number)
    require(user, "export judgments", version.collection)
    made = given_out(Scope(version), sha256)
    file = store.opened(made.name) if made else None
    if made is None or file is None:
        raise HttpError(404, "There is no such bundle, or it is given out no more.")
    headers = {"ETag": quote_etag(made.sha256), "Content-Length": str(made.size)}
    return FileResponse(file, content_type="application/zip", headers=headers)


def _version(user: Any, name: str, number: int) -> QrelVersion:
    rows = QrelVersion.objects.select_related(
        "collection", "campaign", "parent__campaign", "parent__collection"
    ).defer("manifest", "parent__manifest")
    return get_object_or_404(rows, collection=collection_for(user, name), number=number)
