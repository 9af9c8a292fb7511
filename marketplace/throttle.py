"""How many calls a second a requester may make: a token bucket per access key, in this process's memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Throttle:
    """Lets ``per_second`` calls through, with a burst of one second's worth; 0 lets everything through."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def admit(self, who: str, per_second: float) -> bool:
        """Whether a call by ``who`` may pass now; a refused call costs nothing."""
        if per_second <= 0:
            return True
        most = max(1.0, per_second)
        with self._lock:
            now = self._clock()
            left, at = self._buckets.get(who, (most, now))
            left = min(most, left + (now - at) * per_second)
            admitted = left >= 1
            self._buckets[who] = (left - 1 if admitted else left, now)
        return admitted
