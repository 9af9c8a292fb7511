"""A check that a worker had time to read. The result is a flag for review, never a verdict."""

import re

#: Words per second. People read about 4 with understanding; beyond 15, nobody can take in two passages.
FASTEST = 15.0
#: Shorter texts are read at a glance, so a short time proves nothing.
GLANCE_SECONDS = 1.0
_word = re.compile(r"\w+")
_unspaced = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
#: Characters that count as one word in scripts without spaces.
CHARACTERS_A_WORD = 2


def words_in(text: str) -> float:
    """Count the words to read; two characters make a word in scripts without spaces."""
    unspaced = len(_unspaced.findall(text))
    return len(_word.findall(_unspaced.sub(" ", text))) + unspaced / CHARACTERS_A_WORD


def fastest_seconds(words: float) -> float:
    """Return the seconds that the fastest reader needs for half of these words."""
    return words / 2 / FASTEST


def is_fast(seconds: float, *texts: str) -> bool:
    """Check whether the texts were shown for less time than the fastest reader needs for half their words."""
    return seconds < fastest_seconds(sum(map(words_in, texts)))
