"""Names in right-to-left scripts, when they share a line with other text."""

import unicodedata

ISOLATE, END = "\u2068", "\u2069"
_RIGHT_TO_LEFT = ("R", "AL", "AN")


def runs_left(name: str) -> bool:
    """Return whether any letter of the name belongs to a right-to-left script."""
    return any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in name)


def isolate_name(name: str) -> str:
    """Return the name in Unicode's isolates (UAX #9), so that it does not reorder the text beside it.

    Names without right-to-left letters are returned unchanged.
    """
    return f"{ISOLATE}{name}{END}" if runs_left(name) else name
