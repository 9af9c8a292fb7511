"""The leaderboard's errors.

LeaderboardError
├── UnknownLabels     no qrel set at all, or a malformed version
├── UnknownMeasure    unknown measure, or a measure that cannot be used here
├── NothingPrivate    no private queries, or too few to compare on
├── NothingToScore    no runs, or no query that both sets of labels cover
│   └── NoRuns        no runs to rank
├── WrongSetting      an invalid number or choice for an analysis
└── MembersOnly       unreleased data or withheld labels, for members only
"""

from config.errors import Refusal


class LeaderboardError(Refusal):
    """Base class of the errors above."""


class UnknownLabels(LeaderboardError):
    """The collection has no qrel set, or a name such as ``@x`` is not a version."""


class UnknownMeasure(LeaderboardError):
    """No measure has the given name, or the measure cannot be used for this purpose."""


class NothingPrivate(LeaderboardError):
    """The collection has no private queries, or the labels cover too few private or public ones."""


class NothingToScore(LeaderboardError):
    """There are no runs to score, or no queries to score them on."""


class NoRuns(NothingToScore):
    """There are no runs to rank: the collection has none, or the labels cannot score any of them."""


class WrongSetting(LeaderboardError):
    """A number or choice is invalid for the analysis."""


class MembersOnly(LeaderboardError):
    """The result would show unreleased data or withheld labels to someone who is not a member."""
