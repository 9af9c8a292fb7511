"""Mark the words of the question in a passage.

A word is a run of letters, digits and their diacritics. Whole words are compared, ignoring case, so "art" does not
mark "heart". Single letters are not marked. In English, neither are words that are common in questions. In scripts
without spaces between words, such as Chinese, Japanese and Thai, two adjacent characters of the question are marked
where they are adjacent in the passage.
"""

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

_SILENT = """a an and are as at be been by can could did do does for from had has have how i if in into is it its me
my of on or our shall should so than that the their them there these they this to was we were what when where which
who whom whose why will with would you your"""
#: English words that are too common in questions to be marked.
SILENT = frozenset(_SILENT.split())
#: How the Unicode names of characters begin in scripts without spaces between words.
_UNSPACED = ("CJK ", "HIRAGANA", "KATAKANA", "THAI", "LAO ", "KHMER", "MYANMAR", "IDEOGRAPHIC")


@dataclass(frozen=True)
class Part:
    """A stretch of a text, marked or not."""

    text: str
    marked: bool


@dataclass(frozen=True)
class _Word:
    start: int
    end: int
    unspaced: bool


def mark_question_words(text: str, question: str, language: str = "en") -> tuple[Part, ...]:
    """Split ``text`` into parts, in order, so that words of the question are marked parts.

    Joined, the parts are the text. ``language`` is the BCP 47 tag of text and question.
    """
    words, neighbors = _question_words(question, language)
    at = [False] * len(text)
    for word in _find_words(text):
        if word.unspaced:
            _mark_neighbors(at, text, word, neighbors)
        elif _fold_case(text[word.start : word.end], language) in words:
            at[word.start : word.end] = [True] * (word.end - word.start)
    return _split_at_marks(text, at)


def _question_words(question: str, language: str) -> tuple[set[str], set[str]]:
    """Return the question's words to mark, and its pairs of adjacent characters in scripts without spaces."""
    words: set[str] = set()
    neighbors: set[str] = set()
    for word in _find_words(question):
        run = _fold_case(question[word.start : word.end], language)
        if word.unspaced:
            neighbors.update({run} if len(run) == 1 else map("".join, pairwise(run)))
        elif len(run) > 1 or run.isdigit():
            words.add(run)
    return (words - SILENT if language.lower().startswith("en") else words), neighbors


def _mark_neighbors(at: list[bool], text: str, run: _Word, neighbors: set[str]) -> None:
    for place in range(run.start, run.end):
        for length in (1, 2):
            if place + length <= run.end and text[place : place + length] in neighbors:
                at[place : place + length] = [True] * length


def _split_at_marks(text: str, at: list[bool]) -> tuple[Part, ...]:
    parts: list[Part] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or at[place] != at[start]:
            parts.append(Part(text[start:place], at[start]))
            start = place
    return tuple(parts)


def _find_words(text: str) -> list[_Word]:
    """Return the runs of letters, digits and diacritics. A run ends where scripts with and without spaces meet."""
    found: list[_Word] = []
    for place, character in enumerate(text):
        if unicodedata.category(character)[0] not in "LMN":
            continue
        joined = found and found[-1].end == place
        is_mark = unicodedata.category(character)[0] == "M"
        unspaced = found[-1].unspaced if joined and is_mark else _is_unspaced(character)
        if joined and found[-1].unspaced == unspaced:
            found[-1] = _Word(found[-1].start, place + 1, unspaced)
        else:
            found.append(_Word(place, place + 1, unspaced))
    return found


def _is_unspaced(character: str) -> bool:
    return character > "\u0dff" and unicodedata.name(character, "").startswith(_UNSPACED)


def _fold_case(word: str, language: str) -> str:
    """Normalize case and accents of a word. In Turkish and Azerbaijani, the lower case of I is ı."""
    if language.lower().split("-")[0] in ("tr", "az"):
        word = word.replace("I", "ı").replace("İ", "i")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())
