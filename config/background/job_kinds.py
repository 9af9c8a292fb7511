from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from config.background.errors import UnknownJobKind


class Progress(Protocol):
    """Reports a service's progress, and keeps the job's lease alive."""

    def __call__(self, done: int, total: int, message: str = "") -> None: ...


JobBody = Callable[..., dict[str, Any] | None]


@dataclass(frozen=True)
class JobKind:
    """A registered kind of job: its body, its number of tries, and a check whether the schedule should start it."""

    name: str
    body: JobBody
    max_attempts: int
    wanted: Callable[[], bool] | None = None
    words: str = ""


_kinds: dict[str, JobKind] = {}


def job_kind(
    name: str, *, max_attempts: int = 5, wanted: Callable[[], bool] | None = None, words: str = ""
) -> Callable[[JobBody], JobBody]:
    """Register ``body(progress=..., **arguments)`` under ``name`` ("room.verb"). It may run twice.

    ``wanted``, for a kind that the schedule starts every few seconds, is a cheap check for anything to do,
    so that idle runs leave no rows. ``words`` describe the job to people.
    """

    def register(body: JobBody) -> JobBody:
        _kinds[name] = JobKind(name, body, max_attempts, wanted, words)
        return body

    return register


def kind_named(name: str) -> JobKind:
    """Return the kind called ``name``; raises :class:`UnknownJobKind`."""
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownJobKind(f"Unknown kind of job: {name!r}.") from None


def kind_words(name: str) -> str:
    """Return a kind's description for people, or its name if it has none or is not registered."""
    kind = _kinds.get(name)
    return (kind and kind.words) or f"job {name}"
