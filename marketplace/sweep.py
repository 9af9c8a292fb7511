"""Independent steps of one sweep: a failed step does not stop the others."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from marketplace.errors import SweepFailed

logger = logging.getLogger(__name__)


class Sweep:
    """Collects failures, so that the sweep can finish before it fails.

    A step that writes to the database opens its own transaction; a failure does not undo the other steps.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.failures: list[str] = []

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Run one step. Any exception is logged and kept for the end."""
        try:
            yield
        except SweepFailed as failed:
            self.failures += failed.failures
        except Exception as error:
            logger.exception("%s: %s failed.", self.name, what)
            self.failures.append(f"{what} ({type(error).__name__})")

    def end(self) -> None:
        """Raise SweepFailed if a step failed."""
        if self.failures:
            raise SweepFailed(self.name, self.failures)
