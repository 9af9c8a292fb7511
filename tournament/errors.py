"""Errors of the tournament app.

TournamentError
├── NoSuchVersion         the collection has no such version
├── NotADoi               a text is not a DOI
├── SpendNotConfirmed     a challenge costs money that nobody has agreed to
├── NothingToPublish      no query can be published, or others keep publishing at the same time
├── NotAsShown            the draft has changed since its preview
├── OnlyRehearsed         a rehearsal's simulated judgments can't be published
├── CampaignOver          the campaign is closing or closed, so no more judgments can be requested
├── ChallengeUnderWay     a campaign can have one challenge at a time
├── TextsMissing          challengers have no text
├── RebuildDiffers        a version can't be derived again from its manifest
└── PublishedIsFixed      a published version never changes
"""

from config.errors import Refusal


class TournamentError(Refusal):
    """Base class of the tournament's errors."""


class SpendNotConfirmed(TournamentError):
    """A challenge costs money that nobody has agreed to, or more than the budget allows."""

    conflict = True


class NoSuchVersion(TournamentError):
    """The collection has no such version."""


class NotADoi(TournamentError):
    """A text is not a DOI."""


class NothingToPublish(TournamentError):
    """No query of the campaign can be published, or others keep publishing versions at the same time."""

    conflict = True


class NotAsShown(TournamentError):
    """The draft has changed since its preview."""

    conflict = True


class OnlyRehearsed(TournamentError):
    """A rehearsal's judgments are simulated and can't be published."""

    conflict = True


class CampaignOver(TournamentError):
    """The campaign is closing or closed, so no more judgments can be requested."""

    conflict = True


class ChallengeUnderWay(TournamentError):
    """Another challenge of the campaign is still running; a campaign can have one at a time."""

    conflict = True


class TextsMissing(TournamentError):
    """Challengers have no text to show to workers."""

    conflict = True


class RebuildDiffers(TournamentError):
    """A version can't be derived again from its manifest."""


class PublishedIsFixed(TournamentError):
    """A published version never changes."""
