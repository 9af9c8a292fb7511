"""What somebody who is signed in sees is nobody else's: no cache on the way may keep it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


def keep_private(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that keeps answers to requests with a session out of shared caches, and has browsers ask again."""

    def private(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return private
