"""Retry times of webhook messages. No I/O.

The first attempt is made at once. The waits grow fourfold from ten seconds to eight hours, with random jitter, so
that a recovered receiver does not get everything at once. There are nine attempts in 20 to 25 hours.
"""

import random
from datetime import timedelta

FIRST = timedelta(seconds=10)
GROWTH = 4
LONGEST = timedelta(hours=8)
JITTER = 0.25
#: Attempts before a message is given up.
TRIES = 9


def seconds_after(tries: int, rng: random.Random) -> timedelta | None:
    """Return the wait after this number of failed attempts (from 1); None to give up."""
    if tries >= TRIES:
        return None
    return shortest_wait(tries) * rng.uniform(1, 1 + JITTER)


def shortest_wait(tries: int) -> timedelta:
    """Return the wait after this number of failed attempts, without jitter."""
    return min(FIRST * int(GROWTH ** (tries - 1)), LONGEST)
