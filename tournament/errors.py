"""Errors of the tournament room.

TournamentError
├── NoSuchVersion         the collection has no such version
├── SpendNotConfirmed     a challenge at a crowd that takes real money
├── NothingToPublish      no query of the campaign is settled
├── NotAsShown            what would be published is not what was looked at
├── OnlyRehearsed         a rehearsal's judgments are simulated, and are not published
├── CampaignOver          a closed campaign asks nobody
├── ChallengeUnderWay     one challenge of a campaign at a time
├── TextsMissing          challengers without text
├── RebuildDiffers        a version can't be derived again from its manifest
└── PublishedIsFixed      a published version never changes
"""

from config.errors import Refusal


class TournamentError(Refusal):
    """Base of this family."""


class SpendNotConfirmed(TournamentError):
    """A challenge would cost real money that nobody has agreed to."""


class NoSuchVersion(TournamentError):
    """The collection has no such version."""


class NothingToPublish(TournamentError):
    """No query of the campaign is settled."""


class NotAsShown(TournamentError):
    """What would be published is not what was looked at."""


class OnlyRehearsed(TournamentError):
    """A rehearsal's judgments are simulated: they decide no best answers."""


class CampaignOver(TournamentError):
    """A closed campaign asks nobody."""


class ChallengeUnderWay(TournamentError):
    """Another challenge of the campaign still asks: one at a time."""


class TextsMissing(TournamentError):
    """Challengers have no text to show to a person."""


class RebuildDiffers(TournamentError):
    """A version can't be derived again from its manifest."""


class PublishedIsFixed(TournamentError):
    """A published version never changes."""
