"""Files sent as the request body, whole or in parts."""

from typing import Annotated, Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Header
from ninja.errors import HttpError

from accounts.models import ApiToken
from web.api.callers import actor
from web.common.access import collection_for

Key = Annotated[str, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
Offset = Annotated[int, Header(alias="Upload-Offset", ge=0, le=2**53)]
FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
Sent = TypeVar("Sent", bound=Model)


def own_upload(request: HttpRequest, name: str, key: int, rows: QuerySet[Sent], action: str) -> Sent:
    """Return the caller's own upload in the collection. Nobody can continue another person's upload."""
    user = actor(request, ApiToken.Scope.RUNS)
    found = collection_for(user, name, action)
    return get_object_or_404(rows, collection=found, user=user, pk=key)


def length_of(request: HttpRequest) -> int:
    """Return the request's Content-Length. Raises HttpError: 411 if it is missing, 415 for a form."""
    if request.content_type == "multipart/form-data":
        raise HttpError(415, "Send the file as the request body (curl --data-binary @FILE), not in a form.")
    announced = request.headers.get("Content-Length", "")
    if not (announced.isascii() and announced.isdigit()):
        raise HttpError(411, "Send the header Content-Length; curl --data-binary @FILE does.")
    return int(announced)
