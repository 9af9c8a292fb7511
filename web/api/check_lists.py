"""The check list of a launch, and what strategies that do not read would come to, for programs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ninja import Schema

from judging.strategies import Outcome, Outcomes
from web.services.directions import in_words
from web.services.preparing import CheckPage


class CheckOut(Schema):
    """A check of the list; what to do when it did not pass, or passed and needs ``attention``."""

    name: str
    passed: bool
    attention: bool
    words: str
    next_step: str


class PassesOut(Schema):
    """The chance to pass so many tasks in a row."""

    tasks: int
    chance: float


class StrategyOut(Schema):
    """How a strategy that does not read would do on the accepted gold pairs; ``agrees`` is null without labels."""

    name: str
    right: float
    passes: list[PassesOut]
    agrees: float | None


class CheckListOut(Schema):
    """Whether a launch would go through, what it would confirm, and each check."""

    ready: bool
    amount: float
    problem: str
    checks: list[CheckOut]
    strategies: list[StrategyOut]


def check_list_out(page: CheckPage, *, amount: Decimal) -> dict[str, Any]:
    """Every check of the page, and the strategies that one of them tried."""
    return {
        "ready": page.ready,
        "amount": float(amount),
        "problem": in_words(str(page.refusal or "")),
        "checks": [
            {
                "name": one.check.name,
                "passed": one.check.passed,
                "attention": one.check.attention,
                "words": in_words(one.check.words),
                "next_step": in_words(one.check.next_step),
            }
            for one in page.checks
        ],
        "strategies": [
            _strategy(outcomes, row)
            for outcomes in (one.check.outcomes for one in page.checks)
            if outcomes
            for row in outcomes.rows
        ],
    }


def _strategy(outcomes: Outcomes, row: Outcome) -> dict[str, Any]:
    passes = zip(outcomes.tasks, row.passes, strict=True)
    return {
        "name": row.name,
        "right": row.right,
        "passes": [{"tasks": count, "chance": chance} for count, chance in passes],
        "agrees": row.agrees,
    }
