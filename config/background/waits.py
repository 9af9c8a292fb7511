"""How long a job that was put off waits for its next try. Pure.

The waits double from the first up to the longest, each a little longer by lot, so that what was away is not asked for
everything at once when it is back.
"""

from __future__ import annotations

import random

JITTER = 0.25
_MOST_DOUBLINGS = 20


def wait_after(times: int, *, first: float, longest: float, rng: random.Random) -> float:
    """Seconds to wait after a job was put off so many times in a row (from 1)."""
    doubled = first * 2.0 ** min(times - 1, _MOST_DOUBLINGS)
    return min(doubled, max(first, longest)) * rng.uniform(1, 1 + JITTER)
