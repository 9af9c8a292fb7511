"""Middleware that refuses NUL characters in URLs. PostgreSQL cannot store them, and none of our URLs has one."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver

NUL = "\0"
#: The path of workers' pages, which show this error themselves, in the worker's language and with a contact.
THEIR_OWN_WORDS = "/judge/"


class RefuseNulInAddresses:
    """Middleware that refuses a URL with a NUL in its path or parameters before any view looks it up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse a request with a NUL in its URL (status 400), and pass on all others."""
        found = NUL in request.path_info or "%00" in request.META.get("QUERY_STRING", "")
        if found and not request.path_info.startswith(THEIR_OWN_WORDS):
            # The error is not raised, because its traceback would be useless and anyone could fill the log with it.
            refuse: Callable[..., HttpResponse] = get_resolver().resolve_error_handler(400)
            return refuse(request, exception=BadRequest("The address contains a NUL character."))
        return self.get_response(request)
