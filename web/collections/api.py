from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from accounts.models import ApiToken
from leaderboard.board.default_measure import default_measure, set_default_measure
from pooling.collections.collection_details import (
    DEEPEST,
    MOST,
    describe_collection,
    set_board_labels,
    set_run_depth,
)
from pooling.collections.members import role_of, roles_of
from pooling.intake.collections import set_language
from pooling.models import Collection, Query
from tournament.models import QrelVersion
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.collections.pages import listed_collections
from web.common.access import collection_in_sight
from web.common.visibility import opened_runs

router = Router()


class CollectionOut(Schema):
    """A collection; ``role`` is the caller's role in it, empty if they have none."""

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


class CollectionChanges(Body):
    """Fields of a collection to change. Omitted fields keep their values.

    An empty text clears the title, the description, the license or the citation; other fields cannot be empty.

    ``max_run_depth`` is the maximum number of passages that a run can list for a query. ``board_labels`` and
    ``board_measure`` are the leaderboard's default qrel set and measure.
    """

    title: Annotated[str, Field(max_length=MOST["title"])] = ""
    description: Annotated[str, Field(max_length=MOST["description"])] = ""
    license: Annotated[str, Field(max_length=MOST["license"])] = ""
    citation: Annotated[str, Field(max_length=MOST["citation"])] = ""
    language: Annotated[str, Field(max_length=20)] = ""
    max_run_depth: Annotated[int, Field(ge=1, le=DEEPEST)] = 10_000
    board_labels: Annotated[str, Field(min_length=1, max_length=80)] = ""
    board_measure: Annotated[str, Field(min_length=1, max_length=60)] = ""


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
    return _collection_details_out(user, collection_in_sight(user, name))


@router.patch("/collections/{name}", response=CollectionOut, summary="Edit a collection's description")
def edit_collection(request: HttpRequest, name: str, changes: CollectionChanges) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "describe collection", ApiToken.Scope.RUNS)
    given = changes.dict(exclude_unset=True)
    if "language" in given:
        set_language(found, given.pop("language"), who=user.get_username())
    if "max_run_depth" in given:
        set_run_depth(collection=found, depth=given.pop("max_run_depth"), who=user.get_username())
    if "board_labels" in given:
        set_board_labels(collection=found, name=given.pop("board_labels"), who=user.get_username())
    if "board_measure" in given:
        set_default_measure(collection=found, name=given.pop("board_measure"), who=user.get_username())
    describe_collection(collection=found, changes=given, who=user.get_username())
    return _collection_details_out(user, found)


def _collection_details_out(user: Any, found: Collection) -> dict[str, Any]:
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
