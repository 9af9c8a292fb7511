"""Who calls: a token's person, or nobody. Cookies are not looked at, so no page can make a browser call."""

from __future__ import annotations

from dataclasses import dataclass
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
from config.counting import Limit
from web.api.problems import Unauthenticated

MINUTE = 60


@dataclass(frozen=True)
class Caller:
    """The person, and what the token may be used for (None: there is no token)."""

    user: Any
    token: ApiToken | None = None


class Bearer(HttpBearer):
    """A token in the header ``Authorization: Bearer``; without the header, whoever may see what is published."""

    def __call__(self, request: HttpRequest) -> Caller:
        given = request.headers.get("Authorization", "")
        if not given:
            return Caller(AnonymousUser())
        scheme, _, text = given.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated("Send the header Authorization: Bearer, then your token.")
        return self.authenticate(request, text.strip())

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """The token's person; raises Unauthenticated."""
        found = token_of(token)
        if found is None:
            raise Unauthenticated("The token is unknown, revoked or has expired. Make one under API tokens.")
        return Caller(found.user, found)


def reader(request: Any) -> Any:
    """Who reads. Raises PermissionDenied for a token without the scope."""
    caller: Caller = request.auth
    if caller.token is not None:
        _need(caller.token, ApiToken.Scope.READ)
    return caller.user


def actor(request: Any, scope: str) -> Any:
    """Who changes something: never nobody. Raises Unauthenticated, PermissionDenied."""
    caller: Caller = request.auth
    if caller.token is None:
        raise Unauthenticated("This takes a token.")
    _need(caller.token, scope)
    return caller.user


def _need(token: ApiToken, scope: str) -> None:
    if scope not in token.scopes:
        raise PermissionDenied(f"This takes a token with the scope “{scope}”.")


class PerCaller(BaseThrottle):
    """So many calls a minute for each token, and fewer for each address without one.

    Unlike the library's own throttle, it keeps nothing on an object that threads share.
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
