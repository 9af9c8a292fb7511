"""Store the fields of a form that is sent after the session ended, and fill them in again after signing in.

Nothing is resubmitted automatically: the person presses the button. Files and passwords are not stored.
"""

import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from config.client_address import client_network
from config.kept_objects import forget_object, keep_object, kept, object_key
from config.rate_limits import Limit

COOKIE = "kept_form"
SECONDS = 1800
MOST_FIELDS = 300
MOST_CHARACTERS = 100_000
#: The most forms stored for one network address per hour.
KEPT = Limit("kept-forms", most=60, seconds=3600)
#: Fields whose names contain one of these parts are never stored.
_SECRET = ("csrf", "password", "secret", "token")


class KeepForms:
    """Middleware that redirects a form sent after the session ended to sign-in, and from there back to the form."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request. Store a form that was refused because the person is signed out."""
        response = self.answer(request)
        if getattr(request, "kept_form_shown", False):
            response.delete_cookie(COOKIE)
        if response.status_code in (403, 404) and _is_form_of_signed_out(request):
            return _keep_and_redirect(request) or response
        return response


def _is_form_of_signed_out(request: HttpRequest) -> bool:
    """Return whether a signed-out person sent a form of one of our pages, with its CSRF token."""
    match = request.resolver_match
    return (
        request.method == "POST"
        and match is not None
        and match.namespace == "web"
        and not request.user.is_authenticated
        and bool(request.POST.get("csrfmiddlewaretoken"))
    )


def _keep_and_redirect(request: HttpRequest) -> HttpResponse | None:
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if not any(part in name.casefold() for part in _SECRET)
        for value in values
    ]
    characters = sum(len(name) + len(str(value)) for name, value in fields)
    if len(fields) > MOST_FIELDS or characters > MOST_CHARACTERS:
        return None
    if KEPT.take(client_network(request)):
        return None
    page, key = _page_of(request), secrets.token_urlsafe(24)
    keep_object(_cache_key(key), {"page": page, "action": request.path, "fields": fields}, SECONDS)
    sign_in = f"{reverse('account_login')}?{urlencode({'next': page})}"
    response = redirect(sign_in)
    how: dict[str, Any] = {"httponly": True, "samesite": "Lax", "secure": request.is_secure()}
    response.set_cookie(COOKIE, key, max_age=SECONDS, **how)
    return response


def _page_of(request: HttpRequest) -> str:
    """Return the path of the page that the form was sent from.

    If no page of this site is known, return the path of the request itself.
    """
    came_from = request.headers.get("Referer", "")
    if url_has_allowed_host_and_scheme(came_from, {request.get_host()}, require_https=request.is_secure()):
        return urlsplit(came_from).path
    return request.path


def kept_form_of(request: HttpRequest) -> dict[str, Any] | None:
    """Return the form stored for this browser and page, and remove it from the store."""
    key = request.COOKIES.get(COOKIE, "")
    if not key or request.method != "GET" or not request.user.is_authenticated:
        return None
    found: dict[str, Any] | None = kept(_cache_key(key))
    if found is None or found["page"] != request.path:
        return None
    forget_object(_cache_key(key))
    request.kept_form_shown = True  # type: ignore[attr-defined]
    return found


def _cache_key(key: str) -> str:
    return object_key("kept-form", key)
