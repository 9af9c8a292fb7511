"""Rate limits over fixed windows of time. Counts are stored in Redis if it is configured, else in each process.

If Redis does not answer, limits are not enforced.
"""

from dataclasses import dataclass

from django.core.cache import cache
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError

from config import clock

#: Errors that the cache raises if it is down, or if it lost the key between two requests.
_AWAY = (RedisError, OSError, ValueError)


@dataclass(frozen=True)
class Limit:
    """A limit of ``most`` events of one ``kind`` in each window of ``seconds``; a ``most`` of 0 means no limit."""

    kind: str
    most: int
    seconds: int

    def take(self, who: str, *, times: int = 1) -> int:
        """Count ``times`` events for ``who``. Return 0, or the seconds to wait if the limit is exceeded."""
        if not self.most:
            return 0
        key, left = self._window(who)
        try:
            first = cache.add(key, times, timeout=2 * self.seconds)
            counted = times if first else cache.incr(key, times)
        except _AWAY:
            return 0
        return left if counted > self.most else 0

    def used_up(self, who: str) -> bool:
        """Return whether ``who`` has reached the limit in the current window."""
        try:
            return bool(self.most) and int(cache.get(self._window(who)[0], 0)) >= self.most
        except _AWAY:
            return False

    def _window(self, who: str) -> tuple[str, int]:
        """Return the cache key for ``who`` in the current window, and the seconds until the window ends."""
        number, elapsed = divmod(int(clock.now().timestamp()), self.seconds)
        digest = salted_hmac("count", who).hexdigest()[
            :32
        ]  # without our key, nobody can recover the address from it
        return f"{self.kind}:{digest}:{number}", self.seconds - elapsed


def first_time(key: str, *, seconds: float) -> bool:
    """Return whether this is the first call with ``key`` within ``seconds``; true if the cache does not answer."""
    try:
        return bool(cache.add(key, 1, timeout=seconds))
    except _AWAY:
        return True
