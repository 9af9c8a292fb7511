"""Run independent steps, so that a failed step does not stop the others."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from marketplace.errors import SweepFailed

logger = logging.getLogger(__name__)


class Sweep:
    """A series of steps. It collects failures, so that all steps run before it raises an error.

    A step that writes to the database opens its own transaction; a failure does not undo the other steps.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.failures: list[str] = []

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Run the block as one step. An exception is logged, and reported by :meth:`end`."""
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
