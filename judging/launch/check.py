"""Results of the checks before a launch."""

from __future__ import annotations

from dataclasses import dataclass

from judging.rules.strategies import Outcomes


@dataclass(frozen=True)
class Checked:
    """The result of one check: why it passed, or what is wrong and what to do about it.

    ``attention``: the check passed and the launch can go ahead, but somebody should review it first. ``outcomes``
    are the figures of the check that tries strategies.
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
    """The words of a check that passed; ``next_step`` suggests an improvement."""

    words: str
    attention: bool = False
    next_step: str = ""
    outcomes: Outcomes | None = None
