"""The marketplace's only clock. Services receive ``now``; only views, commands and the scheduler read the clock.

``MARKETPLACE_CLOCK_OFFSET`` (seconds) shifts deadlines and token lifetimes for tests and drills. Signatures
are checked against ``wall``, because the clients that sign do not know the offset.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

_shift = timedelta(seconds=float(os.environ.get("MARKETPLACE_CLOCK_OFFSET", "0") or 0))


def now() -> datetime:
    """Return the current time in UTC, shifted by ``MARKETPLACE_CLOCK_OFFSET``."""
    return datetime.now(UTC) + _shift


def wall() -> datetime:
    """Return the real time in UTC, ignoring ``MARKETPLACE_CLOCK_OFFSET``."""
    return datetime.now(UTC)


@contextmanager
def shifted(by: timedelta) -> Iterator[None]:
    """Shift this process's clock by ``by`` while the block runs."""
    global _shift
    before = _shift
    _shift = before + by
    try:
        yield
    finally:
        _shift = before
