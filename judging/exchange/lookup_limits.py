"""Limits on how many ids from visitors' URLs are looked up at a crowd per minute.

URLs with made-up ids must not use up the calls that are needed to offer places and pay workers.
"""

from dataclasses import dataclass

from config.rate_limits import Limit
from judging.errors import CrowdLater
from judging.models import Campaign


@dataclass(frozen=True)
class LookupLimit:
    """A limit on one kind of lookup: the number that a campaign can make in a minute."""

    kind: str
    a_minute: int

    def count(self, campaign: Campaign) -> None:
        """Count a lookup before it is made. Raises CrowdLater if it exceeds the limit."""
        if self._limit.take(campaign.call_key):
            raise CrowdLater(
                "Too many lookups of this campaign's visitors at the crowd. Try again in a minute."
            )

    def used_up(self, campaign: Campaign) -> bool:
        """Return whether the campaign has made all its lookups of this minute."""
        return self._limit.used_up(campaign.call_key)

    @property
    def _limit(self) -> Limit:
        return Limit(self.kind, self.a_minute, 60)
