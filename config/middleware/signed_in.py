"""Middleware for sessions and accounts, skipped for workers' pages.

Workers' pages use no cookies (judging/page/views.py), and saving a choice is the most frequent request of all. Each
class is a subclass of the Django middleware that it replaces, because the system checks of Django and allauth require
that middleware.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

WORKERS_PAGES = "/judge/"


class _ForPeople(MiddlewareMixin):
    """Mixin that skips the middleware for workers' pages."""

    def __call__(self, request: HttpRequest) -> Any:
        """Pass on a request for a worker's page unchanged; run the middleware for all other requests."""
        if request.path_info.startswith(WORKERS_PAGES):
            return self.get_response(request)
        return super().__call__(request)


class Sessions(_ForPeople, SessionMiddleware):
    """Middleware for the browser's session."""


class Authentication(_ForPeople, AuthenticationMiddleware):
    """Middleware that sets ``request.user`` to the person who is signed in."""


class Messages(_ForPeople, MessageMiddleware):
    """Middleware for messages that the person's next page shows."""
