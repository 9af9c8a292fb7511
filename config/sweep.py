"""A sweep: independent steps, such as deleting old data. A failed step does not stop the others."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from config.errors import Refusal

logger = logging.getLogger(__name__)
MOST_NAMED = 5


class SweepFailed(Refusal):
    """Some steps of a sweep failed; the others succeeded."""

    def __init__(self, name: str, failures: list[str]) -> None:
        listed = ", ".join(failures[:MOST_NAMED])
        if len(failures) > MOST_NAMED:
            listed += f" and {len(failures) - MOST_NAMED} more"
        super().__init__(f"{name} failed for {listed}.", "The log says why. Everything else is done.")
        self.failures = failures


class Sweep:
    """Collects failures, so that the sweep can finish before it fails.

    A step that writes to the database must open its own transaction.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.failures: list[str] = []

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Run the block as one step. Log any exception, and keep it for end()."""
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
