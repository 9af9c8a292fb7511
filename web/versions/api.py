from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import parse_etags, quote_etag
from ninja import Field, Query, Router, Schema

from accounts.models import ApiToken
from leaderboard.board.boards import as_dict
from leaderboard.scoring.chosen_runs import chosen_runs
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.scores import score, scores_as_dict
from tournament.models import QrelVersion
from tournament.services.version_dois import dois_of, set_doi
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.boards.board_choices import Wish
from web.boards.pages import published_board
from web.common.access import collection_for
from web.common.outdated_versions import Outdated, outdated_for
from web.common.visibility import shown_teams
from web.versions.released_qrels import released_qrels, shown_qrels_sha256

router = Router()


class VersionOut(Schema):
    """A published version of the preference qrels."""

    number: int
    campaign: str
    simulated: bool
    queries: int
    qrels: int
    qrels_sha256: Annotated[
        str,
        Field(
            description="SHA-256 of the qrels file that you can download: for members of the collection, of the "
            "whole file; for others, of the part without the lines that Preferee-Left-Out counts."
        ),
    ]
    published_at: datetime
    doi: str | None
    outdated: Annotated[
        str | None,
        Field(
            description="Notice on the latest version if some of its judgments no longer count; otherwise null. "
            "Members of the collection get numbers, and are also told of new judgments and of new passages with the "
            "text of a best answer."
        ),
    ]


class DoiIn(Body):
    """The DOI of a deposited version, or its address; an empty text removes the DOI."""

    doi: Annotated[str, Field(max_length=250)]


@router.get("/collections/{name}/versions", response=list[VersionOut], summary="List versions, newest first")
def list_versions(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    found = collection_for(user := reader(request), name)
    rows = QrelVersion.objects.filter(collection=found).select_related("campaign").defer("manifest")
    told = outdated_for(user, [found]).get(found.pk)
    dois = dois_of(rows)
    shown = list(rows.order_by("-number"))
    hashes = shown_qrels_sha256(found, user)
    return [_version_out(row, told, dois.get(row.pk)) | {"qrels_sha256": hashes[row.number]} for row in shown]


@router.put(
    "/collections/{name}/versions/{int:number}/doi",
    response=VersionOut,
    summary="Record the DOI of a deposited version, for its citation",
)
def write_doi(request: HttpRequest, name: str, number: int, asked: DoiIn) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "publish version", ApiToken.Scope.CAMPAIGNS)
    rows = QrelVersion.objects.filter(collection=found).select_related("collection", "campaign")
    version = get_object_or_404(rows.defer("manifest"), number=number)
    doi = set_doi(version, asked.doi, who=user.get_username())
    return _version_out(version, outdated_for(user, [found]).get(found.pk), doi or None)


def _version_out(row: QrelVersion, told: Outdated | None, doi: str | None) -> dict[str, Any]:
    same = ("number", "simulated", "qrels_sha256", "published_at")
    return {name: getattr(row, name) for name in same} | {
        "campaign": row.campaign.name,
        "doi": doi,
        "queries": row.queries_count,
        "qrels": row.qrels_count,
        "outdated": f"{told.words} {told.effect}".strip() if told and told.version == row.number else None,
    }


@router.get(
    "/collections/{name}/versions/{int:number}/qrels",
    summary="Download the preference qrels of a version as a TREC qrels file",
    openapi_extra={
        "responses": {
            200: {"description": "OK", "content": {"text/plain": {"schema": {"type": "string"}}}},
            304: {"description": "Not changed since the ETag in the request"},
        }
    },
)
def read_qrels(request: HttpRequest, name: str, number: int) -> HttpResponse:
    user = reader(request)
    version = get_object_or_404(QrelVersion, collection=collection_for(user, name), number=number)
    content, left_out, sha256 = released_qrels(version, user)
    etag = quote_etag(sha256)
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Preferee-Left-Out": str(left_out)}
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(content, content_type="text/plain; charset=utf-8", headers=headers)


@router.get(
    "/collections/{name}/leaderboard",
    response=dict[str, Any],
    summary="Get the leaderboard under the latest or another version, or under the labels alone",
)
def read_leaderboard(
    request: HttpRequest,
    name: str,
    version: Annotated[int | None, Query(ge=1, le=999_999_999)] = None,
    labels_alone: bool = False,
    official: str = "",
    measure: Annotated[str, Query(max_length=100)] = "",
) -> dict[str, Any]:
    user = reader(request)
    wish = Wish(version=version, labels_alone=labels_alone, official=official or None, measure=measure)
    collection = collection_for(user, name)
    board, teams = as_dict(published_board(collection, wish, user)), shown_teams(collection, user)
    return board | {"rows": [row | {"team": teams.get(row["run"]) or None} for row in board["rows"]]}


@router.get(
    "/collections/{name}/scores",
    response=dict[str, Any],
    summary="Get measures of runs under labels",
)
def read_scores(
    request: HttpRequest,
    name: str,
    qrels: str,
    measures: Annotated[str, Query(max_length=500)] = "RR@10",
    run: Annotated[list[str], Query(max_length=500)] = [],  # noqa: B006
    per_query: bool = False,
) -> dict[str, Any]:
    found = collection_for(reader(request), name, "score")
    scores = score(
        collection=found,
        labels=labels_named(found, qrels),
        runs=chosen_runs(found, run),
        measures=measures,
    )
    return scores_as_dict(scores, per_query=per_query)
