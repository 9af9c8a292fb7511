"""Authentication and rate limits of API calls. The caller is the token's owner, or anonymous.

Cookies are ignored, so that no web page can call the API with the session of the person who views it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja.security import HttpBearer
from ninja.throttling import BaseThrottle

from accounts.models import ApiToken
from accounts.services.tokens import token_of
from config import clock
from config.client_address import client_network
from config.rate_limits import Limit
from judging.models import Campaign
from pooling.models import Collection
from web.api.problem_details import Unauthenticated
from web.common.access import Reader, campaign_for, collection_for

MINUTE = 60


@dataclass(frozen=True)
class Caller:
    """The user who calls the API, and their token (None for an anonymous caller)."""

    user: Any
    token: ApiToken | None = None

    @cached_property
    def reader(self) -> Reader:
        """The caller as the reader of the response; their rights are looked up once."""
        return Reader(self.user)


class Bearer(HttpBearer):
    """Authentication by a token in the ``Authorization: Bearer`` header.

    Without a token, the caller is anonymous.
    """

    def __call__(self, request: HttpRequest) -> Caller:
        given = request.headers.get("Authorization", "")
        if not given:
            return Caller(AnonymousUser())
        scheme, _, text = given.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated("Send the header Authorization: Bearer, followed by your token.")
        return self.authenticate(request, text.strip())

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """Return the caller who owns the token. Raises Unauthenticated for an invalid token."""
        found = token_of(token)
        if found is None:
            raise Unauthenticated(
                "The token is unknown, revoked or expired. Create a new one under API tokens."
            )
        return Caller(found.user, found)


def reader(request: Any) -> Any:
    """Return the caller of a read request. Raises PermissionDenied for a token without the scope ``READ``."""
    caller: Caller = request.auth
    if caller.token is not None:
        _require_scope(caller.token, ApiToken.Scope.READ)
    return caller.user


def actor(request: Any, scope: str) -> Any:
    """Return the caller of a write request.

    Raises Unauthenticated without a token, and PermissionDenied if the token lacks the scope.
    """
    caller: Caller = request.auth
    if caller.token is None:
        raise Unauthenticated("This call requires a token.")
    _require_scope(caller.token, scope)
    return caller.user


def collection_to_change(request: Any, name: str, action: str, scope: str) -> tuple[Any, Collection]:
    """Return the caller and the collection to change. Raises the errors of :func:`actor` and `collection_for`."""
    user = actor(request, scope)
    return user, collection_for(user, name, action)


def campaign_to_change(request: Any, name: str, action: str) -> tuple[Any, Campaign]:
    """Return the caller and the campaign to change. Raises the errors of :func:`actor` and `campaign_for`."""
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    return user, campaign_for(user, name, action)


def _require_scope(token: ApiToken, scope: str) -> None:
    if scope not in token.scopes:
        raise PermissionDenied(f"This call requires a token with the scope “{scope}”.")


class PerCaller(BaseThrottle):
    """A limit on calls per minute: per token, or per client address (with a lower limit) for anonymous callers.

    Unlike the library's own throttle, it keeps no state on an object that threads share.
    """

    def allow_request(self, request: Any) -> bool:
        caller: Caller = request.auth
        who, most = (
            (f"token:{caller.token.pk}", settings.API_CALLS_PER_MINUTE)
            if caller.token
            else (f"address:{client_network(request)}", settings.API_ANONYMOUS_CALLS_PER_MINUTE)
        )
        return not Limit("api", most, MINUTE).take(who)

    def wait(self) -> float:
        return MINUTE - clock.now().timestamp() % MINUTE
