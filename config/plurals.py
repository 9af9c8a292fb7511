"""Pure: a number and what it counts, in English."""

from __future__ import annotations


def many(number: int, one: str, more: str = "") -> str:
    """``1 task``, ``1,200 tasks``, ``2 reports of pairs``: ``more`` where an s at the end does not do."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
