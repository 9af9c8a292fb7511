"""Limit the requests from one worker's page, to protect other workers.

The limit is far above a person's rate. A page is identified by its token. Each process counts the requests it gets.
It uses the counter shared by all processes only for a page that has sent a large share of the limit.
"""

from collections import Counter

from django.conf import settings

from config import clock
from config.rate_limits import Limit

#: Seconds over which requests are counted: long enough that saves delayed by a lost connection can arrive together.
WINDOW = 10
#: The share of the limit that a process counts by itself before it uses the shared counter.
UNSHARED = 0.25


class _Here:
    """The numbers of requests that this process got from each page in the current window."""

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
    """Count a request from this page; return 0 if it is allowed, otherwise the number of seconds to wait."""
    most = settings.PAGE_REQUESTS_PER_SECOND * WINDOW
    unshared = int(most * UNSHARED)
    counted = _here.count(token)
    if counted <= unshared:
        return 0
    return Limit("page", most, WINDOW).take(token, times=counted if counted == unshared + 1 else 1)
