"""What a check before a launch says."""

from __future__ import annotations

from dataclasses import dataclass

from judging.strategies import Outcomes


@dataclass(frozen=True)
class Checked:
    """What came of one check: in words why it passed, or what is wrong and what to do about it.

    ``attention``: it passed, the launch may go on, and somebody should think about it first. ``outcomes`` are the
    figures of the check that tries strategies.
    """

    name: str
    passed: bool
    words: str
    next_step: str = ""
    attention: bool = False
    outcomes: Outcomes | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.words}"


@dataclass(frozen=True)
class Passed:
    """What a check says that passed; ``next_step`` is what would make it better."""

    words: str
    attention: bool = False
    next_step: str = ""
    outcomes: Outcomes | None = None
