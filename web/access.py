"""What stands at the door of every page and call: is it there for this person, and may the person do this?

What a person may not see is not there (404). What is there and may not be done is refused (403).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from judging.models import Campaign
from pooling.models import Collection
from pooling.services import members
from web.services.campaigns import is_there_for


def collection_for(user: Any, name: str) -> Collection:
    """The collection, when it is there for this person; else Http404."""
    found = Collection.objects.filter(name=name).first()
    if found is None or not members.sees(user, found):
        raise Http404("There is no such collection.")
    return found


def campaign_for(user: Any, name: str) -> Campaign:
    """The campaign, when it and its collection are there for this person; else Http404."""
    found = Campaign.objects.select_related("collection", "pool", "pool__qrel_set").filter(name=name).first()
    if found is None or not is_there_for(user, found):
        raise Http404("There is no such campaign.")
    return found


def require(user: Any, action: str, collection: Collection) -> None:
    """Raises PermissionDenied when this person, who sees the collection, may not do it there."""
    if not members.may(user, action, collection):
        raise PermissionDenied(f"Your role in {collection.name} does not include this: {action}.")


def needs(action: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """A view of a collection, called with the collection in place of its name, for those who may do this."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def guarded(request: HttpRequest, name: str, **rest: Any) -> HttpResponse:
            collection = collection_for(request.user, name)
            require(request.user, action, collection)
            return view(request, collection, **rest)

        return guarded

    return decorate
