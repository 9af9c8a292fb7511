"""Questions to a crowd about what somebody brought along, so many a minute.

Whoever makes addresses or names up must not use up the calls that offering and paying need.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache

from config import clock
from judging.errors import CrowdLater
from judging.models import Campaign


@dataclass(frozen=True)
class Questions:
    """One kind of question, with how many of it a campaign may ask in a minute.

    Counted in Redis where there is one, else in each process.
    """

    kind: str
    a_minute: int

    def count(self, campaign: Campaign) -> None:
        """Count one that is about to be asked; raises CrowdLater when it is one too many."""
        key = self._key(campaign)
        cache.add(key, 0, timeout=120)
        if cache.incr(key) > self.a_minute:
            raise CrowdLater("The crowd was asked enough about this campaign's visitors in this minute.")

    def used_up(self, campaign: Campaign) -> bool:
        """Whether there are none left in this minute."""
        return int(cache.get(self._key(campaign), 0)) >= self.a_minute

    def _key(self, campaign: Campaign) -> str:
        minute = int(clock.now().timestamp() // 60)
        # Row numbers come again in a database that was put back: the campaign's time tells it from its namesake.
        return f"{self.kind}:{campaign.pk}:{campaign.created_at.timestamp()}:{minute}"
