"""How tests wait for something to happen. No test is about speed: the limits here only end a hang."""

import time
from collections.abc import Callable
from typing import TypeVar

import httpx

Found = TypeVar("Found")

#: Longer than anything takes on a busy machine with two cores, and shorter than pytest's own limit.
PATIENCE_SECONDS = 600.0


def wait_until(
    find: Callable[[], Found], explain: Callable[[], object] = str, *, every_seconds: float = 0.1
) -> Found:
    """Return what ``find`` returns as soon as it is true. If it never is, fail with what ``explain`` returns."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline, f"It did not happen in {PATIENCE_SECONDS:.0f} s. {explain()}"
        time.sleep(every_seconds)
    return found


def answers(url: str) -> bool:
    """Return whether ``url`` answers 200."""
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.TransportError:
        return False
