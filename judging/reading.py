"""Pure: how long a task takes, estimated from the length of its texts, and the time that a worker has to be given."""

from __future__ import annotations

from math import ceil

#: Silent reading of English non-fiction (Brysbaert 2019, a review of 190 studies).
WORDS_A_MINUTE = 238
#: For comparing and choosing: with it a pair of MS MARCO's passages, 56 words each, takes 40 seconds.
SECONDS_A_CHOICE = 10
#: A pair takes no less, however short its texts: workers also look at instructions, and at a question twice.
SECONDS_PER_PAIR = 40
#: Nobody should have to hurry (WCAG 2.2.1): the limit is so many times the expected time.
TIMES_THE_EXPECTED = 4


def seconds_for(words: float) -> float:
    """For one pair whose question and passages have so many words together."""
    return max(SECONDS_PER_PAIR, words / WORDS_A_MINUTE * 60 + SECONDS_A_CHOICE)


def least_limit(expected_seconds: float) -> int:
    """The shortest limit for a task that is expected to take so long: seconds, in whole steps of five minutes."""
    return 300 * ceil(TIMES_THE_EXPECTED * expected_seconds / 300)
