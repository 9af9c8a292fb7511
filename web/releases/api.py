from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.http import quote_etag
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from accounts.models import ApiToken
from web.api.bodies import Body, DryRun
from web.api.callers import actor, campaign_to_change, reader
from web.api.works import WorkOut, work_out
from web.common.access import campaign_for, require, version_for
from web.releases import store
from web.releases.bundle import bundle_of, stored_summary
from web.releases.jobs import ring_for_release
from web.releases.kept_bundles import downloadable_bundle, release_work
from web.releases.pages import bundle_lines
from web.releases.scope import Scope
from web.versions.jobs import ring_for_preview, ring_for_publishing
from web.versions.next_version import version_work
from web.versions.pages import FILTERS, Wish, asked_queries, query_lines
from web.versions.rows import change_row, query_row
from web.versions.version_changes import version_differences

router = Router()
Number = Annotated[int, Field(ge=1, le=999_999_999)]
Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]


class PublishIn(Body):
    """A request to publish a version. ``dry_run`` only returns the changes and their fingerprint.

    Without ``dry_run``, ``as_shown`` is required: the fingerprint that the dry run returned.
    """

    allow_open: bool = False
    dry_run: DryRun = False
    as_shown: Annotated[str, Field(max_length=64)] = ""


class RowPage(Schema):
    """A page of rows; ``count`` is the number of all matches."""

    count: int
    rows: list[dict[str, Any]]


class MadeOut(Schema):
    """A bundle's file.

    ``withheld`` is the reason why it is withdrawn, or empty. ``no_longer_released`` lists contents that would not be
    released today.
    """

    sha256: str = Field(alias="made.sha256")
    size: int = Field(alias="made.size")
    made_at: datetime = Field(alias="made.made_at")
    withheld: str
    no_longer_released: list[str] = Field(alias="no_longer")


class BundleOut(Schema):
    """A version's bundle: its contents and omissions if they were counted, and its files.

    ``made``, ``size`` and ``sha256`` describe the newest file that can be downloaded. ``current``: whether its inputs
    are still the same. ``bundles``: all files made, newest first.
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
    summary="Publish the next version of the collection's preference qrels, or preview the changes",
)
def publish(request: HttpRequest, name: str, asked: PublishIn) -> Status[dict[str, Any]]:
    user, found = campaign_to_change(request, name, "see everything" if asked.dry_run else "publish version")
    if asked.dry_run:
        return Status(202, work_out(ring_for_preview(found, allow_open=asked.allow_open)))
    if not asked.as_shown:
        raise HttpError(422, "Send `as_shown`, the fingerprint that the dry run returned.")
    who = user.get_username()
    job = ring_for_publishing(found, allow_open=asked.allow_open, as_shown=asked.as_shown, who=who)
    return Status(202, work_out(job))


@router.get("/campaigns/{name}/publishing/{int:key}", response=WorkOut, summary="Get the progress and result")
def read_publishing(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "see everything")
    return work_out(get_object_or_404(version_work(found), pk=key))


@router.get(
    "/collections/{name}/versions/{int:number}/queries",
    response=RowPage,
    summary="List the queries of a version with their best answers",
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
        raise HttpError(400, f"Set show to one of: {', '.join(key for key in FILTERS if key)}.")
    user = reader(request)
    version = version_for(user, name, number)
    rows = asked_queries(version, Wish(show, q.strip()), user)
    part = query_lines(version, list(rows[offset : offset + limit]), user)
    return {"count": rows.count(), "rows": [query_row(line) for line in part]}


@router.get(
    "/collections/{name}/versions/{int:number}/changes",
    response=RowPage,
    summary="Compare a version with another one (default: its parent), with reasons",
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
    version = version_for(user, name, number)
    before = version_for(user, name, since) if since else version.parent
    told_of = version_differences(version, before, user)
    part = told_of.chosen(show, "")
    return {
        "count": len(part),
        "rows": [change_row(line) for line in told_of.lines(part[offset : offset + limit])],
    }


@router.get(
    "/collections/{name}/versions/{int:number}/bundle",
    response=BundleOut,
    summary="Get a version's bundle: contents, omissions, and whether it was made",
)
def read_bundle(request: HttpRequest, name: str, number: int) -> dict[str, Any]:
    user = reader(request)
    version = version_for(user, name, number)
    require(user, "export judgments", version.collection)
    scope = Scope(version)
    made, current = downloadable_bundle(scope), bundle_of(scope)
    summary = current.summary if current else stored_summary(scope) or (made.summary if made else {})
    newest = release_work(version).first()
    return {
        "made": made is not None,
        "current": made is not None and made == current,
        "size": made.size if made else None,
        "sha256": made.sha256 if made else "",
        **{key: summary.get(key) for key in ("counts", "left_out", "files")},
        "bundles": bundle_lines(scope),
        "work": work_out(newest) | {"result": None} if newest else None,
    }


@router.post(
    "/collections/{name}/versions/{int:number}/bundle",
    response={202: WorkOut},
    summary="Make the bundle",
)
def make_bundle(request: HttpRequest, name: str, number: int) -> Status[dict[str, Any]]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    version = version_for(user, name, number)
    require(user, "publish version", version.collection)
    return Status(202, work_out(ring_for_release(version, only_count=False)) | {"result": None})


@router.get(
    "/collections/{name}/versions/{int:number}/bundle.zip",
    summary="Download the bundle: the newest, or the one with this SHA-256",
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
    version = version_for(user, name, number)
    require(user, "export judgments", version.collection)
    made = downloadable_bundle(Scope(version), sha256)
    file = store.open_bundle(made.name) if made else None
    if made is None or file is None:
        raise HttpError(404, "There is no such bundle, or it is withdrawn.")
    headers = {"ETag": quote_etag(made.sha256), "Content-Length": str(made.size)}
    return FileResponse(file, content_type="application/zip", headers=headers)
