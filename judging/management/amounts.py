from decimal import Decimal, InvalidOperation

from config.commands.console import UsageError


def dollars_option(option: str, words: str) -> Decimal:
    """Parse an amount in dollars. If it is invalid, raise a UsageError that names ``option``."""
    try:
        amount = Decimal(words.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or abs(amount) >= 10**9:
        raise UsageError(f"{option} {words!r} is not an amount in dollars.")
    return amount
