"""Reading times: the expected time and the time limit of a task, and whether there was time to read its texts.

Too short a time raises a flag and holds pay until a person decides.
"""

import re
from math import ceil

#: Silent reading of English non-fiction (Brysbaert 2019, a review of 190 studies).
WORDS_A_MINUTE = 238
#: The time to compare and choose. It makes the total 40 seconds for two MS MARCO passages of 56 words each.
SECONDS_A_CHOICE = 10
#: The minimum time for a pair, however short its texts: workers also look at instructions, and at a question twice.
SECONDS_PER_PAIR = 40
#: The minimum ratio of a task's limit to its expected time, so that nobody has to hurry (WCAG 2.2.1).
TIMES_THE_EXPECTED = 4
#: The words per second beyond which nobody can take in two passages. People read about 4 with understanding.
FASTEST = 15.0
#: Texts that the fastest reader reads in less time than this are read at a glance, so a short time proves nothing.
GLANCE_SECONDS = 1.0
_word = re.compile(r"\w+")
_unspaced = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
#: Characters that count as one word in scripts without spaces.
CHARACTERS_A_WORD = 2


def words_in(text: str) -> float:
    """Return the number of words to read in a text. In scripts without spaces, two characters count as a word."""
    unspaced = len(_unspaced.findall(text))
    return len(_word.findall(_unspaced.sub(" ", text))) + unspaced / CHARACTERS_A_WORD


def fastest_seconds(words: float) -> float:
    """Return the seconds that the fastest reader needs for half of these words."""
    return words / 2 / FASTEST


def is_fast(seconds: float, *texts: str) -> bool:
    """Return whether ``seconds`` is less than the fastest reader needs for half of the words in these texts."""
    return seconds < fastest_seconds(sum(map(words_in, texts)))


def seconds_for(words: float) -> float:
    """Estimate the seconds that a worker needs for a pair with ``words`` words in question and passages."""
    return max(SECONDS_PER_PAIR, words / WORDS_A_MINUTE * 60 + SECONDS_A_CHOICE)


def least_limit(expected_seconds: float) -> int:
    """Return the shortest allowed limit in seconds for a task with this expected time, a multiple of five minutes."""
    return 300 * ceil(TIMES_THE_EXPECTED * expected_seconds / 300)
