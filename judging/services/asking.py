"""Questions to a crowd about what somebody brought along, so many a minute.

Whoever makes addresses or names up must not use up the calls that offering and paying need.
"""

from __future__ import annotations

from dataclasses import dataclass

from config.counting import Limit
from judging.errors import CrowdLater
from judging.models import Campaign


@dataclass(frozen=True)
class Questions:
    """One kind of question, with how many of it a campaign may ask in a minute."""

    kind: str
    a_minute: int

    def count(self, campaign: Campaign) -> None:
        """Count one that is about to be asked; raises CrowdLater when it is one too many."""
        if self._limit.take(_name(campaign)):
            raise CrowdLater("The crowd was asked enough about this campaign's visitors in this minute.")

    def used_up(self, campaign: Campaign) -> bool:
        """Whether there are none left in this minute."""
        return self._limit.used_up(_name(campaign))

    @property
    def _limit(self) -> Limit:
        return Limit(self.kind, self.a_minute, 60)


def _name(campaign: Campaign) -> str:
    # Row numbers come again in a database that was put back: the campaign's time tells it from its namesake.
    return f"{campaign.pk}:{campaign.created_at.timestamp()}"
