"""How many requests one page may make: far more than a person does, far fewer than would slow down others.

A page is known by its token.
"""

from __future__ import annotations

from django.conf import settings

from config.counting import Limit

#: Seconds over which requests are counted: what waited for a connection may come at once.
WINDOW = 10


def seconds_to_wait(token: str) -> int:
    """0 when the page of this token may ask now; else after how many seconds it may."""
    return Limit("page", settings.PAGE_REQUESTS_PER_SECOND * WINDOW, WINDOW).take(token)
