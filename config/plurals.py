"""Formats a number with its English noun."""


def many(number: int, one: str, more: str = "") -> str:
    """Return text such as ``1 task`` or ``1,200 tasks``. ``more`` is the plural, by default ``one`` with an s."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
