"""Split a campaign's plain text into headings, paragraphs and lists.

Empty lines separate blocks. A block of one line is a paragraph. In a block of several lines, a short first line
without punctuation at its end is a heading, and each other line is a paragraph. Without a heading, the lines are a
list.
"""

import re
from dataclasses import dataclass

LONGEST_HEADING = 60
_enders = tuple(".:;,!?。！？؟।")


@dataclass(frozen=True)
class Block:
    """A block of a text. ``heading`` can be empty. ``listed`` says whether the lines are list items or paragraphs."""

    heading: str
    lines: tuple[str, ...]
    listed: bool


def blocks(text: str) -> tuple[Block, ...]:
    """Split the text into blocks, in order. Every word of the text is in one of them."""
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
