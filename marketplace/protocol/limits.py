"""Limits that MTurk enforces although the service model does not state them (2014-08-15 documentation)."""

import re
from typing import Any

from marketplace.errors import ParameterValidationError
from marketplace.rules import money

YEAR = 31_536_000
MONTH = 2_592_000
MOST_DOLLARS = 10_000
#: Control characters, which pages cannot show and PostgreSQL cannot always store. Tabs and line ends are allowed.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text(request: dict[str, Any], name: str, most: int, *, least: int = 0) -> str:
    """Return a text member of the request (empty if missing); it must have ``least`` to ``most`` characters."""
    value: str = request.get(name, "")
    if not least <= len(value) <= most:
        raise ParameterValidationError(name, value, f"It must have {least} to {most} characters.")
    if _CONTROL.search(value):
        raise ParameterValidationError(name, value, "It must not contain control characters.")
    return value


def number(request: dict[str, Any], name: str, least: int, most: int, *, default: int = 0) -> int:
    """Return a whole-number member of the request (``default`` if missing), from ``least`` to ``most``."""
    value: int = request.get(name, default)
    if not least <= value <= most:
        raise ParameterValidationError(name, value, f"It must be {least} to {most}.")
    return value


def amount(request: dict[str, Any], name: str, *, least_cents: int) -> int:
    value = request[name]
    if len(value) > 12 or not least_cents <= money.cents(value) <= MOST_DOLLARS * 100:
        reason = f"It must be {money.protocol_amount(least_cents)} to {MOST_DOLLARS}.00."
        raise ParameterValidationError(name, value, reason)
    return money.cents(value)


def unsupported(request: dict[str, Any], *names: str) -> None:
    """Refuse members that this marketplace does not support, instead of silently dropping them."""
    for name in names:
        if name in request:
            raise ParameterValidationError(name, request[name], "This marketplace does not support it.")
