"""Limits that the service model does not state and MTurk enforces nevertheless (2014-08-15 documentation)."""

from __future__ import annotations

import re
from typing import Any

from marketplace import money
from marketplace.errors import ParameterValidationError

YEAR = 31_536_000
MONTH = 2_592_000
MOST_DOLLARS = 10_000
#: What no page can show and PostgreSQL in part cannot keep; tabs and ends of lines are text.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text(request: dict[str, Any], name: str, most: int, *, least: int = 0) -> str:
    """A text member of ``least`` to ``most`` characters; empty when it is left out."""
    value: str = request.get(name, "")
    if not least <= len(value) <= most:
        raise ParameterValidationError(name, value, f"It must have {least} to {most} characters.")
    if _CONTROL.search(value):
        raise ParameterValidationError(name, value, "It must not contain control characters.")
    return value


def number(request: dict[str, Any], name: str, least: int, most: int, *, default: int = 0) -> int:
    """A whole number within bounds; ``default`` when it is left out."""
    value: int = request.get(name, default)
    if not least <= value <= most:
        raise ParameterValidationError(name, value, f"It must be {least} to {most}.")
    return value


def amount(request: dict[str, Any], name: str, *, least_cents: int) -> int:
    """An amount of money in cents."""
    value = request[name]
    if len(value) > 12 or not least_cents <= money.cents(value) <= MOST_DOLLARS * 100:
        reason = f"It must be {money.dollars(least_cents)} to {MOST_DOLLARS}.00."
        raise ParameterValidationError(name, value, reason)
    return money.cents(value)


def unsupported(request: dict[str, Any], *names: str) -> None:
    """Refuse members that this marketplace does not act on, instead of dropping them in silence."""
    for name in names:
        if name in request:
            raise ParameterValidationError(name, request[name], "This marketplace does not support it.")
