"""A number with its noun in English, for commands (pages use ``pluralize``)."""


def many(number: int, one: str, more: str = "") -> str:
    """Return ``1 account`` or ``1,200 accounts``; ``more`` is an irregular plural."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
