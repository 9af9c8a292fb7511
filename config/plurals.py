"""A number with its noun in English."""


def many(number: int, one: str, more: str = "") -> str:
    """Return ``1 task``, ``1,200 tasks`` or ``2 reports of pairs``; ``more`` is an irregular plural."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
