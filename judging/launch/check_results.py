from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from judging.rules.strategies import Outcomes


@dataclass(frozen=True)
class Checked:
    """The result of one launch check.

    ``words`` say why the check passed, or what is wrong; ``next_step`` says what to do about it. ``attention`` is
    true if the check passed but somebody should review its result before the launch. ``outcomes`` has the results of
    the strategies that the check tried, if it tries any.
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
    """What a check returns if it passes. The fields mean the same as in :class:`Checked`."""

    words: str
    attention: bool = False
    next_step: str = ""
    outcomes: Outcomes | None = None


def check_row(check: Checked, worded: Callable[[str], str] = str) -> dict[str, Any]:
    """Return the result of a check as a JSON-ready dict; ``worded`` converts its texts, for instance for the API."""
    return {
        "name": check.name,
        "passed": check.passed,
        "attention": check.attention,
        "words": worded(check.words),
        "next_step": worded(check.next_step),
    }


def strategy_rows(checks: Iterable[Checked]) -> list[dict[str, Any]]:
    """Return a JSON-ready dict for each strategy that the checks tried, with its chances of passing tasks."""
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
