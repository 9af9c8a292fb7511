"""NUL characters are no text: PostgreSQL cannot keep them, and no address of ours has one."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse

NUL = "\0"
#: Pages that workers see say so themselves, in the worker's language and with somebody to write to.
THEIR_OWN_WORDS = "/judge/"


class NulInAddress(SuspiciousOperation):
    """Answered with status 400, and logged by Django as somebody's trying."""


class RefuseNulInAddresses:
    """Middleware: an address with a NUL in its path or its parameters is refused before any view looks it up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on, or refuse it."""
        found = NUL in request.path_info or "%00" in request.META.get("QUERY_STRING", "")
        if found and not request.path_info.startswith(THEIR_OWN_WORDS):
            raise NulInAddress("The address has a NUL character in it.")
        return self.get_response(request)
