"""Amounts in dollars, as they are typed."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from config.console import UsageError


def dollars(option: str, words: str) -> Decimal:
    """The amount; raises UsageError for what is none, naming the option or argument."""
    try:
        amount = Decimal(words.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or abs(amount) >= 10**9:
        raise UsageError(f"{option} {words!r} is not an amount in dollars.")
    return amount
