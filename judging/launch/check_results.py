from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

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
    """The text of a passed check; ``next_step`` suggests an improvement."""

    words: str
    attention: bool = False
    next_step: str = ""
    outcomes: Outcomes | None = None


def check_row(check: Checked, worded: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a check as a JSON-ready dict; ``worded`` phrases the guidance for programs."""
    return {
        "name": check.name,
        "passed": check.passed,
        "attention": check.attention,
        "words": worded(check.words),
        "next_step": worded(check.next_step),
    }


def strategy_rows(checks: Iterable[Checked]) -> list[dict[str, Any]]:
    """Return the strategies that the checks tried, with how often each passes."""
    return [
        {
            "name": row.name,
            "right": row.right,
            "passes": [
                {"tasks": count, "chance": chance}
                for count, chance in zip(outcomes.tasks, row.passes, strict=True)
            ],
            "agrees": row.agrees,
        }
        for outcomes in (check.outcomes for check in checks)
        if outcomes
        for row in outcomes.rows
    ]
