"""NUL characters are no text: PostgreSQL cannot keep them, and no address of ours has one."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver

NUL = "\0"
#: Pages that workers see say so themselves, in the worker's language and with somebody to write to.
THEIR_OWN_WORDS = "/judge/"


class RefuseNulInAddresses:
    """Middleware: an address with a NUL in its path or its parameters is refused before any view looks it up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on, or refuse it."""
        found = NUL in request.path_info or "%00" in request.META.get("QUERY_STRING", "")
        if found and not request.path_info.startswith(THEIR_OWN_WORDS):
            # Not raised: a traceback of this middleware would tell nobody anything, and anybody could fill the log.
            refuse: Callable[..., HttpResponse] = get_resolver().resolve_error_handler(400)
            return refuse(request, exception=BadRequest("The address has a NUL character in it."))
        return self.get_response(request)
