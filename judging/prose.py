"""Pure: a campaign's plain text as it is laid out: headings, paragraphs and lists.

An empty line parts blocks. A block of one line is a paragraph. In a block of several lines, a short first line
without a full stop at its end is a heading over the paragraphs that follow; without a heading the lines are a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_HEADING = 60
_enders = tuple(".:;,!?。！？؟।")


@dataclass(frozen=True)
class Block:
    """A part of a text. ``heading`` may be empty; ``listed`` says that the lines are points of a list."""

    heading: str
    lines: tuple[str, ...]
    listed: bool


def blocks(text: str) -> tuple[Block, ...]:
    """The text's blocks, in order; no word is left out."""
    found = []
    for part in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        lines = tuple(line.strip() for line in part.splitlines() if line.strip())
        if not lines:
            continue
        if len(lines) > 1 and len(lines[0]) <= LONGEST_HEADING and not lines[0].endswith(_enders):
            found.append(Block(lines[0], lines[1:], False))
        else:
            found.append(Block("", lines, len(lines) > 1))
    return tuple(found)
