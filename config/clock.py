"""The only source of the current time. Services read it; pure modules receive ``now`` as an argument."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

_shift = timedelta(seconds=float(os.environ.get("PREFEREE_CLOCK_OFFSET", "0") or 0))


def now() -> datetime:
    """Return the current time in UTC, shifted if a test or a drill set an offset."""
    return datetime.now(UTC) + _shift


@contextmanager
def shifted(by: timedelta) -> Iterator[None]:
    """Move this process's clock by ``by`` while the block runs."""
    global _shift
    before = _shift
    _shift = before + by
    try:
        yield
    finally:
        _shift = before
