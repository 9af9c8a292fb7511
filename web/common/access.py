"""Access checks for every page and API call.

Objects that a person cannot see raise 404. Actions that a person's role does not include raise 403, with a page that
names the person's role.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from accounts.roles import who_can
from judging.models import Campaign
from pooling.collections import members
from pooling.models import Collection
from tournament.models import QrelVersion
from web.common.campaign_rows import sees_campaign


class ActionNotAllowed(PermissionDenied):
    """The person can see the collection, but only others can do this. ``able`` names them, such as ``an owner``."""

    def __init__(self, able: str, collection: Collection, user: Any) -> None:
        role = members.role_of(user, collection)
        yours = f" Your role in it is {role.words}." if role else ""
        super().__init__(
            f"Only {able} of {collection.name} can do this.{yours} "
            "Ask an owner of the collection for another role."
        )
        self.collection = collection


class ResultsNotShown(PermissionDenied):
    """The person can see the collection, but not its results, because they judge its topics."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"Assessors of {collection.name} do not see its runs, labels and results, which could bias their grades. "
            "Choose topics to judge on its page, or ask an owner of the collection for another role."
        )
        self.collection = collection


def show_refusal(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show why the person cannot do this, and the way back to the collection that they can see."""
    context = {"exception": str(exception), "collection": getattr(exception, "collection", None)}
    return render(request, "403.html", context, status=403)


def collection_for(user: Any, name: str, action: str = "") -> Collection:
    """Return the collection if this person can do ``action`` or, without an action, can see its results.

    Raises Http404, PermissionDenied.
    """
    found = collection_in_sight(user, name)
    if action:
        require(user, action, found)
    elif not members.sees_results(user, found):
        raise ResultsNotShown(found)
    return found


def collection_in_sight(user: Any, name: str) -> Collection:
    """Return the collection if this person can see it, for pages without results. Raises Http404."""
    found = Collection.objects.filter(name=name).first()
    if found is None or not members.sees(user, found):
        raise Http404("There is no such collection.")
    return found


def campaign_for(user: Any, name: str, action: str = "") -> Campaign:
    """Return the campaign if this person can see it and do ``action``. Raises Http404, PermissionDenied."""
    found = Campaign.objects.select_related("collection", "pool", "pool__qrel_set").filter(name=name).first()
    if found is None or not sees_campaign(user, found):
        raise Http404("There is no such campaign.")
    if action:
        require(user, action, found.collection)
    return found


class Reader:
    """The permissions of the reader of a page or API response.

    They are used to leave out links that the reader cannot open.
    """

    def __init__(self, user: Any) -> None:
        self.user = user
        self._known: dict[tuple[str, str, str], bool] = {}

    def may_open(self, of: str, name: str, action: str) -> bool:
        """Return whether the reader can do ``action`` in the object called ``name``.

        ``of`` is the kind of object: ``collection`` or ``campaign``.
        """
        if (of, name, action) not in self._known:
            try:
                (campaign_for if of == "campaign" else collection_for)(self.user, name, action)
            except (Http404, PermissionDenied):
                self._known[of, name, action] = False
            else:
                self._known[of, name, action] = True
        return self._known[of, name, action]


def version_for(user: Any, name: str, number: int) -> QrelVersion:
    """Return a version of a collection whose results this person can see; the manifest is deferred.

    Raises Http404, PermissionDenied.
    """
    return version_or_404(collection_for(user, name), number)


def version_or_404(collection: Collection, number: int) -> QrelVersion:
    """Return the collection's version; its manifest is deferred. Raises Http404."""
    related = ("collection", "campaign", "parent__campaign", "parent__collection")
    rows = QrelVersion.objects.select_related(*related).defer("manifest", "parent__manifest")
    return get_object_or_404(rows, collection=collection, number=number)


def require(user: Any, action: str, collection: Collection) -> None:
    """Raise PermissionDenied if this person's role in the collection does not include the action."""
    if not members.may(user, action, collection):
        raise ActionNotAllowed(who_can(action) or "an administrator", collection, user)


def needs(action: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Decorate a view: check the action, then pass the collection in place of its name."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, name: str, **rest: Any) -> HttpResponseBase:
            collection = collection_for(request.user, name, action)
            return view(request, collection, **rest)

        return guarded

    return decorate
