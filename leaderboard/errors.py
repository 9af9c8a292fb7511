"""What the leaderboard refuses.

LeaderboardError
├── UnknownLabels     no such qrel set or version
├── UnknownMeasure    a measure's name that means nothing here
├── NothingPrivate    no queries are private, or too few to compare on
├── NothingToScore    no runs, or no query that both sets of labels cover
├── WrongSetting      a number or choice that an analysis does not know
└── MembersOnly       an analysis that would tell others than members what is not released
"""

from __future__ import annotations

from config.errors import Refusal


class LeaderboardError(Refusal):
    """The root of the leaderboard's errors."""


class UnknownLabels(LeaderboardError):
    """There is no qrel set or version of that name."""


class UnknownMeasure(LeaderboardError):
    """There is no measure of that name."""


class NothingPrivate(LeaderboardError):
    """The collection has no private queries, or the labels cover too few of either kind."""


class NothingToScore(LeaderboardError):
    """There are no runs to score, or no queries to score them on."""


class WrongSetting(LeaderboardError):
    """An analysis does not know this number or choice."""


class MembersOnly(LeaderboardError):
    """The analysis would show what is not released, and who asks is no member."""
