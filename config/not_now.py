"""What cannot be answered now is said so: status 503, when to come again, and the reason in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.errors import NotNow

logger = logging.getLogger("preferee.requests")


class SayNotNow:
    """Middleware: a page that raised :class:`config.errors.NotNow`, because the store of runs is away, for instance.

    The reason names servers and settings, so it is told to who runs the site, in the log, and not to visitors.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for a NotNow; anything else is none of ours."""
        if not isinstance(error, NotNow):
            return None
        logger.warning("%s cannot be answered now: %s", request.path, error)
        reply = render(request, "503.html", status=503)
        reply["Retry-After"] = str(int(error.seconds))
        reply["Cache-Control"] = "no-store"
        return reply
