"""The worked example in the instructions for workers. Researchers write it as text in this form:

::

    Question: how long do you boil an egg
    First passage: For a firm yolk, boil a large egg for nine to twelve minutes.
    Second passage: Eggs are a popular breakfast food.
    Better: first
    Why: The first passage says how long.

Each part begins on a new line with its label, and can span several lines. The parts must be in this order.
"""

import re
from dataclasses import dataclass

LABELS = ("Question", "First passage", "Second passage", "Better", "Why")
_label = re.compile(rf"^({'|'.join(LABELS)}):[ \t]*", re.MULTILINE)


class BadExample(ValueError):
    """An error for a text that is not a valid worked example. The message states the reason."""


@dataclass(frozen=True)
class Example:
    """A pair with its answer. ``better`` is "first" or "second"; ``why`` is the explanation."""

    question: str
    first: str
    second: str
    better: str
    why: str


def read_example(text: str) -> Example | None:
    """Parse the example in ``text``; None if there is no text. Raises :class:`BadExample`."""
    if not text.strip():
        return None
    before, *parts = _label.split(text)
    labels = parts[::2]
    if before.strip() or tuple(labels) != LABELS:
        raise BadExample(f"An example must have these parts, in this order: {', '.join(LABELS)}.")
    values = [" ".join(value.split()) for value in parts[1::2]]
    if empty := [label for label, value in zip(labels, values, strict=True) if not value]:
        raise BadExample(f"The example has no text after “{empty[0]}:”.")
    question, first, second, better, why = values
    if better.rstrip(".").lower() not in ("first", "second"):
        raise BadExample("The example must say first or second after “Better:”.")
    return Example(question, first, second, better.rstrip(".").lower(), why)
