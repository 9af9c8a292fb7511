"""The expected time of a task, from the length of its texts, its time limit, and whether there was time to read.

Too short a time is a flag for review, never a verdict.
"""

import re
from math import ceil

#: Silent reading of English non-fiction (Brysbaert 2019, a review of 190 studies).
WORDS_A_MINUTE = 238
#: Time to compare and choose: with it, a pair of MS MARCO passages of 56 words each takes 40 seconds.
SECONDS_A_CHOICE = 10
#: The minimum for a pair with short texts: workers also look at instructions, and at a question twice.
SECONDS_PER_PAIR = 40
#: Nobody should have to hurry (WCAG 2.2.1): the limit is at least this many times the expected time.
TIMES_THE_EXPECTED = 4
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


def seconds_for(words: float) -> float:
    """Estimate the seconds for a pair whose question and passages have ``words`` words together."""
    return max(SECONDS_PER_PAIR, words / WORDS_A_MINUTE * 60 + SECONDS_A_CHOICE)


def least_limit(expected_seconds: float) -> int:
    """Calculate the shortest limit for a task with this expected time: seconds, in steps of five minutes."""
    return 300 * ceil(TIMES_THE_EXPECTED * expected_seconds / 300)
