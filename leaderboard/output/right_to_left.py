"""Names in scripts that run from right to left, where they stand in one line with something else."""

from __future__ import annotations

import unicodedata

ISOLATE, END = "\u2068", "\u2069"
_RIGHT_TO_LEFT = ("R", "AL", "AN")


def runs_left(name: str) -> bool:
    """Whether any of its letters belongs to such a script."""
    return any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in name)


def isolated(name: str) -> str:
    """The name so that it does not change the order of what stands beside it (Unicode's isolates, UAX #9).

    Only where it would: other names stay as they are.
    """
    return f"{ISOLATE}{name}{END}" if runs_left(name) else name
