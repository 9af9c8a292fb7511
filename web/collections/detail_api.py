"""API to edit a collection's description. It uses the collections' router: an address can have only one router."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field

from accounts.models import ApiToken
from leaderboard.board.default_measure import set_default_measure
from pooling.services.collection_details import (
    DEEPEST,
    MOST,
    describe_collection,
    set_board_labels,
    set_run_depth,
)
from pooling.services.collections import set_language
from web.api.bodies import Body
from web.api.callers import collection_to_change
from web.collections.api import CollectionOut, collection_details_out, router


class CollectionChanges(Body):
    """Fields of a collection; omitted ones stay, and an empty text clears one.

    ``max_run_depth`` is the most passages that a run can list for a query, ``board_labels`` the leaderboard's default
    qrel set, ``board_measure`` its default measure.
    """

    title: Annotated[str, Field(max_length=MOST["title"])] = ""
    description: Annotated[str, Field(max_length=MOST["description"])] = ""
    license: Annotated[str, Field(max_length=MOST["license"])] = ""
    citation: Annotated[str, Field(max_length=MOST["citation"])] = ""
    language: Annotated[str, Field(max_length=20)] = ""
    max_run_depth: Annotated[int, Field(ge=1, le=DEEPEST)] = 10_000
    board_labels: Annotated[str, Field(min_length=1, max_length=80)] = ""
    board_measure: Annotated[str, Field(min_length=1, max_length=60)] = ""


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
    return collection_details_out(user, found)
