"""Pure: whether somebody can have read what they judged. A flag for a person to look at, never a verdict."""

from __future__ import annotations

import re

#: Words a second. People read some 4 with understanding; beyond 15 nobody takes in two passages.
FASTEST = 15.0
_word = re.compile(r"\w+")
_unspaced = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
#: Scripts without blanks: so many characters are read as one word.
CHARACTERS_A_WORD = 2


def words_in(text: str) -> float:
    """How many words there are to read; two characters for a word in scripts that put no blanks between them."""
    unspaced = len(_unspaced.findall(text))
    return len(_word.findall(_unspaced.sub(" ", text))) + unspaced / CHARACTERS_A_WORD


def is_fast(seconds: float, *texts: str) -> bool:
    """Whether the texts were on screen for less time than the fastest reader needs for half of their words."""
    return seconds < sum(map(words_in, texts)) / 2 / FASTEST
