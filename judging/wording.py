"""Pure: words for workers stand in English where they are said, and are put into another language at the edge.

Texts that stand in a module are marked with ``_`` (:func:`gettext_noop`), so that ``make messages`` finds them;
whoever shows them translates. Functions that make sentences are handed a :class:`Wording`; Django's ``translation``
module is one.
"""

from __future__ import annotations

from gettext import NullTranslations
from typing import Protocol


class Wording(Protocol):
    """Says an English sentence in some language."""

    def gettext(self, message: str, /) -> str:
        """The sentence."""

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        """The form of the sentence for so many of what it counts."""


ENGLISH: Wording = NullTranslations()


def gettext_noop(words: str) -> str:
    """The same words, marked for translation."""
    return words
