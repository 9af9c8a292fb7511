"""Pure: a number and what it counts, in English, for commands. (Pages have ``pluralize``.)"""

from __future__ import annotations


def many(number: int, one: str, more: str = "") -> str:
    """``1 account``, ``1,200 accounts``: ``more`` where an s at the end does not do."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
