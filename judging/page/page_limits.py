"""Limit requests per page: far above what a person makes, and low enough to protect other workers.

A page is identified by its token. A person makes a few requests in a window. Each process counts requests by itself,
and queries the counter shared by all processes only for a page near the limit.
"""

from collections import Counter

from django.conf import settings

from config import clock
from config.fixed_windows import Limit

#: Seconds over which requests are counted. Saves that waited for a connection can arrive together.
WINDOW = 10
#: Share of the limit after which the shared counter is queried.
UNSHARED = 0.25


class _Here:
    """The counts of this process in the current window."""

    def __init__(self) -> None:
        self.window, self.requests = 0, Counter[str]()

    def count(self, token: str) -> int:
        window = int(clock.now().timestamp()) // WINDOW
        if window != self.window:
            self.window, self.requests = window, Counter()
        self.requests[token] += 1
        return self.requests[token]


_here = _Here()


def request_pause(token: str) -> int:
    """Return the seconds until this page can send its next request, or 0 if it can send one now."""
    most = settings.PAGE_REQUESTS_PER_SECOND * WINDOW
    unshared = int(most * UNSHARED)
    counted = _here.count(token)
    if counted <= unshared:
        return 0
    return Limit("page", most, WINDOW).take(token, times=counted if counted == unshared + 1 else 1)
