"""Middleware that answers requests that cannot be served now with status 503 and a time to retry."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.errors import NotNow

logger = logging.getLogger("preferee.requests")


class SayNotNow:
    """Middleware for pages that raise :class:`config.errors.NotNow`, for instance because run storage is down.

    The error's message names servers and settings, so it is logged for administrators and not shown to visitors.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the 503 page if the error is a NotNow, else None."""
        if not isinstance(error, NotNow):
            return None
        logger.warning("%s cannot be answered now: %s", request.path, error)
        reply = render(request, "503.html", status=503)
        reply["Retry-After"] = str(int(error.seconds))
        reply["Cache-Control"] = "no-store"
        return reply
