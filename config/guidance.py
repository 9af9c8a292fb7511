"""Text that tells people what to do. Its actions and options are stored as data rather than as words.

Each interface renders them its own way: a terminal prints ``Run: manage.py raise_budget spring 12.50``, a page links
to *Change the budget*, and the API names the call. ``web.common.directions`` renders them for pages and the API.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Action:
    """An action: a command, the campaign or collection that it applies to, and its other arguments."""

    command: str
    subject: str = ""
    rest: str = ""
    lead: str = "Run"
    """The words that a terminal prints before the command, without the colon. Empty if a sentence has the command."""

    @property
    def typed(self) -> str:
        """The command line as a person types it in a terminal."""
        return " ".join(filter(None, ("manage.py", self.command, self.subject, self.rest)))

    @property
    def led(self) -> str:
        return f"{self.lead}: " if self.lead else ""

    def __str__(self) -> str:
        return f"{self.led}{self.typed}"


@dataclass(frozen=True)
class Option:
    """A command-line option, named without its dashes. Pages and the API name the matching field instead.

    If the option takes ``NAME=VALUE``, ``name`` is that name, and ``label`` is the label of its field on pages.
    """

    option: str
    name: str = ""
    label: str = ""

    def __str__(self) -> str:
        return f"--{self.option} {self.name}=…" if self.name else f"--{self.option}"


@dataclass(frozen=True)
class TerminalOnly:
    """Words that only help in a terminal, such as an option that a page replaces with a list."""

    text: str

    def __str__(self) -> str:
        return self.text


Part = str | Action | Option | TerminalOnly


class Guidance(str):
    """A string as a terminal prints it, with the ``parts`` from which pages and the API make their own versions."""

    parts: tuple[Part, ...]

    def __new__(cls, *pieces: Part) -> Guidance:
        parts = tuple(part for piece in pieces for part in parts_of(piece))
        made = super().__new__(cls, "".join(map(str, parts)))
        made.parts = parts
        return made

    def __str__(self) -> str:
        return self  # by default, str() would return a plain string without the parts

    def __getnewargs__(self) -> tuple[Part, ...]:  # type: ignore[override]
        return self.parts

    def __add__(self, more: str) -> Guidance:
        return Guidance(self, more)

    def __radd__(self, before: str) -> Guidance:
        return Guidance(before, self)

    @property
    def options(self) -> tuple[str, ...]:
        """The command-line options that the text names, without dashes."""
        return tuple(part.option for part in self.parts if isinstance(part, Option))

    def asks_for(self, command: str) -> bool:
        """Return whether one of the text's actions runs this command."""
        return any(isinstance(part, Action) and part.command == command for part in self.parts)


def parts_of(text: Part) -> tuple[Part, ...]:
    """Return the parts of a text. The only part of a plain text is the text itself; empty text has no parts."""
    if isinstance(text, Guidance):
        return text.parts
    return (text,) if not isinstance(text, str) or text else ()


def joined(separator: str, texts: Iterable[Part]) -> Guidance:
    """Join texts as ``str.join`` does, leaving out empty ones and keeping their parts."""
    pieces = [piece for text in texts if text for piece in (separator, text)]
    return Guidance(*pieces[1:])


_KINDS: dict[str, type[Action | Option | TerminalOnly]] = {
    "command": Action,
    "option": Option,
    "text": TerminalOnly,
}
#: The first character of a stored text with parts. stored() removes it from the beginning of all other texts.
_MARK = "\x1e"


def stored(text: str) -> str:
    """Return the text as a plain string for a database, a session or JSON. restored() reads it back."""
    if not isinstance(text, Guidance) or all(isinstance(part, str) for part in text.parts):
        return str(text).lstrip(_MARK)
    return _MARK + json.dumps([part if isinstance(part, str) else asdict(part) for part in text.parts])


def restored(text: str) -> Guidance:
    """Return the Guidance, with its parts, from a string that stored() returned."""
    if isinstance(text, Guidance) or not text.startswith(_MARK):
        return Guidance(text)
    return Guidance(*map(_restored_part, json.loads(text.removeprefix(_MARK))))


def _restored_part(kept: str | dict[str, str]) -> Part:
    if isinstance(kept, str):
        return kept
    return _KINDS[next(iter(kept))](**kept)
