"""How many requests one page may make: far more than a person does, far fewer than would slow down others.

Counted in Redis where there is one, else in each process. A page is known by its token.
"""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from config import clock

#: Seconds over which requests are counted: what waited for a connection may come at once.
WINDOW = 10


def seconds_to_wait(token: str) -> int:
    """0 when the page of this token may ask now; else after how many seconds it may."""
    most = settings.PAGE_REQUESTS_PER_SECOND * WINDOW
    if not most:
        return 0
    window, elapsed = divmod(int(clock.now().timestamp()), WINDOW)
    key = f"page:{hashlib.sha256(token.encode()).hexdigest()[:32]}:{window}"
    return WINDOW - elapsed if _counted(key) > most else 0


def _counted(key: str) -> int:
    """How often ``key`` was counted, this time included; 0 when the counter does not answer."""
    try:
        if cache.add(key, 1, timeout=2 * WINDOW):
            return 1
        return int(cache.incr(key))
    except (RedisError, OSError, ValueError):
        # A counter that is away (or lost the key in between) must not cost anybody a choice.
        return 0
