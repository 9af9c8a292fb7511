from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from config.background.errors import UnknownJobKind


class Progress(Protocol):
    """A callback with which a service reports its progress. Calling it also extends the job's lease."""

    def __call__(self, done: int, total: int, message: str = "") -> None: ...


JobBody = Callable[..., dict[str, Any] | None]


@dataclass(frozen=True)
class JobKind:
    """A registered kind of job: its body, its maximum number of tries, and a check whether there is work for it."""

    name: str
    body: JobBody
    max_attempts: int
    wanted: Callable[[], bool] | None = None
    words: str = ""


_kinds: dict[str, JobKind] = {}


def job_kind(
    name: str, *, max_attempts: int = 5, wanted: Callable[[], bool] | None = None, words: str = ""
) -> Callable[[JobBody], JobBody]:
    """Register a job's function, ``body(progress=..., **arguments)``, under ``name`` ("app.verb").

    The function must tolerate being run twice. ``wanted`` is a cheap check whether there is work; if there is none,
    the schedule stores no job. ``words`` describe the job to people.
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
    """Return the kind's description for people, or ``job NAME`` if it has none or is not registered."""
    kind = _kinds.get(name)
    return (kind and kind.words) or f"job {name}"
