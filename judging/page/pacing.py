"""Limit requests per page: far above what a person makes, and low enough to protect other workers.

A page is identified by its token.
"""

from __future__ import annotations

from django.conf import settings

from config.counting import Limit

#: Seconds over which requests are counted. Saves that waited for a connection can arrive together.
WINDOW = 10


def request_pause(token: str) -> int:
    """Return the seconds until this page can send its next request, or 0 if it can send one now."""
    return Limit("page", settings.PAGE_REQUESTS_PER_SECOND * WINDOW, WINDOW).take(token)
