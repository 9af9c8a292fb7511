"""Names in right-to-left scripts, on one line with other text."""

import unicodedata

ISOLATE, END = "\u2068", "\u2069"
_RIGHT_TO_LEFT = ("R", "AL", "AN")


def runs_left(name: str) -> bool:
    """Return whether any letter of the name belongs to a right-to-left script."""
    return any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in name)


def isolate_name(name: str) -> str:
    """Return the name so that it does not reorder the text beside it (Unicode's isolates, UAX #9).

    Names that cannot reorder text are returned unchanged.
    """
    return f"{ISOLATE}{name}{END}" if runs_left(name) else name
