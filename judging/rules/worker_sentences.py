"""Translation of sentences for workers, which are in English in the code and are translated when they are shown.

Module constants are marked with ``_`` (:func:`gettext_noop`), so that ``make messages`` finds them. The code that
shows them translates them. Functions that build sentences take a :class:`Wording`, such as Django's ``translation``
module.
"""

from gettext import NullTranslations
from typing import Protocol


class Wording(Protocol):
    """A translator of English sentences into one language."""

    def gettext(self, message: str, /) -> str:
        """Return the translation of the sentence."""

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        """Return the translation of the sentence in the grammatical form for ``number``."""


ENGLISH: Wording = NullTranslations()


def gettext_noop(words: str) -> str:
    """Return the words unchanged; the call marks them for translation."""
    return words
