"""What the leaderboard refuses.

LeaderboardError
├── UnknownLabels     no such qrel set or version
├── UnknownMeasure    a measure's name that means nothing here
└── NothingToScore    no runs, or no query that both sets of labels cover
"""

from __future__ import annotations

from config.errors import Refusal


class LeaderboardError(Refusal):
    """The root of the leaderboard's errors."""


class UnknownLabels(LeaderboardError):
    """There is no qrel set or version of that name."""


class UnknownMeasure(LeaderboardError):
    """There is no measure of that name."""


class NothingToScore(LeaderboardError):
    """There are no runs to score, or no queries to score them on."""
