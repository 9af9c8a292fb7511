"""Computes how long a postponed job waits for its next try.

Waits double from ``first`` up to ``longest``. Each gets random jitter, so that a recovering service does not receive
all requests at once.
"""

import random

JITTER = 0.25
_MOST_DOUBLINGS = 20


def wait_after(times: int, *, first: float, longest: float, rng: random.Random) -> float:
    """Return the seconds to wait after a job was postponed ``times`` times in a row (from 1)."""
    doubled = first * 2.0 ** min(times - 1, _MOST_DOUBLINGS)
    return min(doubled, max(first, longest)) * rng.uniform(1, 1 + JITTER)
