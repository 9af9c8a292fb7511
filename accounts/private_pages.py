"""Middleware that keeps the pages of signed-in people out of shared caches."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


def keep_private(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Keep responses to requests with a session cookie out of shared caches, and make browsers revalidate them."""

    def private(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return private
