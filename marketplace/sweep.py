"""Independent steps of one sweep: a step that fails stops no other step."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from marketplace.errors import SweepFailed

logger = logging.getLogger(__name__)


class Sweep:
    """Collects what fails, so that the sweep can go on and fail at its end.

    A step that writes to the database brings its own transaction; a failure leaves the others' work in place.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.failures: list[str] = []

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Run one step. Whatever it raises is logged and kept for the end."""
        try:
            yield
        except SweepFailed as failed:
            self.failures += failed.failures
        except Exception as error:
            logger.exception("%s: %s failed.", self.name, what)
            self.failures.append(f"{what} ({type(error).__name__})")

    def end(self) -> None:
        """Raise SweepFailed when a step failed."""
        if self.failures:
            raise SweepFailed(self.name, self.failures)
