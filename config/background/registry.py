"""What kinds of job there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from config.background.errors import UnknownJobKind


class Progress(Protocol):
    """How a service says how far it is; also keeps the job's lease alive."""

    def __call__(self, done: int, total: int, message: str = "") -> None: ...


JobBody = Callable[..., dict[str, Any] | None]


@dataclass(frozen=True)
class JobKind:
    """A registered kind: its body, how often a failed try is repeated, and whether the schedule has to start it."""

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

    A kind that the schedule starts every few seconds says with ``wanted`` whether there is anything to do: a cheap
    look, in place of a row for each time that there was nothing. ``words`` say to people what it does.
    """

    def register(body: JobBody) -> JobBody:
        _kinds[name] = JobKind(name, body, max_attempts, wanted, words)
        return body

    return register


def kind_named(name: str) -> JobKind:
    """The kind called ``name``; raises :class:`UnknownJobKind`."""
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownJobKind(f"There is no kind of job called {name!r}.") from None


def in_words(name: str) -> str:
    """What a kind of job does, for people; the name of one that has no words, or that nobody registers any more."""
    kind = _kinds.get(name)
    return (kind and kind.words) or f"job {name}"
