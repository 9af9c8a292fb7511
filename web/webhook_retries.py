"""When a webhook that did not arrive is sent again. Pure.

The first try is made at once. The waits grow fourfold from ten seconds up to eight hours, each a little longer by
lot, so that a receiver that was away is not asked for everything at once: nine tries in 20 to 25 hours.
"""

from __future__ import annotations

import random
from datetime import timedelta

FIRST = timedelta(seconds=10)
GROWTH = 4
LONGEST = timedelta(hours=8)
JITTER = 0.25
#: Tries of a message before it is given up.
TRIES = 9


def wait_after(tries: int, rng: random.Random) -> timedelta | None:
    """How long to wait after so many failed tries (from 1); None when it is to be given up."""
    if tries >= TRIES:
        return None
    return shortest_wait(tries) * rng.uniform(1, 1 + JITTER)


def shortest_wait(tries: int) -> timedelta:
    """The wait after so many failed tries, without what the lot adds."""
    return min(FIRST * int(GROWTH ** (tries - 1)), LONGEST)
