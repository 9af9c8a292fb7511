"""Middleware for the pages of signed-in people: shared caches must not store them."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


def keep_private(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that keeps responses with a session out of shared caches, and has browsers revalidate."""

    def private(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return private
