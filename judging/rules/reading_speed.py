"""The expected time of a task, from the length of its texts, and its time limit."""

from math import ceil

#: Silent reading of English non-fiction (Brysbaert 2019, a review of 190 studies).
WORDS_A_MINUTE = 238
#: Time to compare and choose: with it, a pair of MS MARCO passages of 56 words each takes 40 seconds.
SECONDS_A_CHOICE = 10
#: The minimum for a pair with short texts: workers also look at instructions, and at a question twice.
SECONDS_PER_PAIR = 40
#: Nobody should have to hurry (WCAG 2.2.1): the limit is at least this many times the expected time.
TIMES_THE_EXPECTED = 4


def seconds_for(words: float) -> float:
    """Estimate the seconds for a pair whose question and passages have ``words`` words together."""
    return max(SECONDS_PER_PAIR, words / WORDS_A_MINUTE * 60 + SECONDS_A_CHOICE)


def least_limit(expected_seconds: float) -> int:
    """Calculate the shortest limit for a task with this expected time: seconds, in steps of five minutes."""
    return 300 * ceil(TIMES_THE_EXPECTED * expected_seconds / 300)
