"""Middleware for sessions and accounts, skipped for workers' pages.

Those pages use no cookies (judging/page/views.py), and a save is the most frequent request of all. Each class is a
subclass of the middleware that it replaces, because Django's and allauth's settings checks look for it.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

WORKERS_PAGES = "/judge/"


class _ForPeople(MiddlewareMixin):
    """Passes on requests for workers' pages unchanged."""

    def __call__(self, request: HttpRequest) -> Any:
        """Answer the request, with the session or account only where pages use them."""
        if request.path_info.startswith(WORKERS_PAGES):
            return self.get_response(request)
        return super().__call__(request)


class Sessions(_ForPeople, SessionMiddleware):
    """Middleware for the browser's session."""


class Authentication(_ForPeople, AuthenticationMiddleware):
    """Middleware that finds the person who is signed in."""


class Messages(_ForPeople, MessageMiddleware):
    """Middleware for messages on the next page."""
