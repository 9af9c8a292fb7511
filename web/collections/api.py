from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from leaderboard.board.default_measure import default_measure
from pooling.models import Collection, Query
from pooling.services.members import role_of, roles_of
from tournament.models import QrelVersion
from web.api.callers import reader
from web.collections.pages import listed_collections
from web.common.access import collection_in_sight
from web.common.visibility import opened_runs

router = Router()


class CollectionOut(Schema):
    """A collection; ``role`` is the caller's, empty for non-members."""

    name: str
    title: str
    description: str
    language: str
    license: str
    citation: str
    visibility: str
    max_run_depth: int
    board_measure: str
    created_at: datetime
    queries: int
    runs: int
    versions: int
    role: str


@router.get(
    "/collections", response=list[CollectionOut], summary="List the collections that the caller can see"
)
def list_collections(request: HttpRequest) -> list[dict[str, Any]]:
    user = reader(request)
    roles = roles_of(user)
    return [
        _collection_out(row.collection)
        | {name: getattr(row, name) for name in ("queries", "runs", "versions")}
        | {"role": roles.get(row.collection.pk, "")}
        for row in listed_collections(user)
    ]


@router.get("/collections/{name}", response=CollectionOut, summary="Get a collection and the caller's role")
def read_collection(request: HttpRequest, name: str) -> dict[str, Any]:
    user = reader(request)
    return collection_details_out(user, collection_in_sight(user, name))


def collection_details_out(user: Any, found: Collection) -> dict[str, Any]:
    return _collection_out(found) | {
        "queries": Query.objects.filter(collection=found).count(),
        "runs": opened_runs(found, user).count(),
        "versions": QrelVersion.objects.filter(collection=found).count(),
        "role": role_of(user, found) or "",
    }


def _collection_out(found: Collection) -> dict[str, Any]:
    names = ("name", "title", "description", "language", "license", "citation", "visibility", "max_run_depth")
    said = {name: getattr(found, name) for name in (*names, "created_at")}
    return said | {"board_measure": default_measure(found)}
