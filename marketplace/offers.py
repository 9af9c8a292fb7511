"""Pure: what a task pays and needs, read from its HIT type, and told in words.

The protocol has a reward, a time limit and free text. What else a listing should say a requester can put into the
keywords, each at most once: ``bonus:1.80`` (what is usually paid on top, in dollars), ``minutes:12`` (what the task
usually takes), ``limit:60`` (minutes after which the page ends the task, where that is before the time for the
assignment does), ``pairs:13``, ``language:en`` (of the texts) and ``page-language:de``. A keyword that cannot be read
is a keyword like any other. Nothing depends on them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from marketplace import languages, money

_MOST_MINUTES, _MOST_PAIRS, _MOST_CENTS = 10_000, 100_000, 1_000_000


@dataclass(frozen=True)
class Offer:
    """Amounts in cents. 0 and empty: the requester does not say."""

    reward_cents: int
    bonus_cents: int = 0
    minutes: int = 0
    pairs: int = 0
    language: str = ""
    page_language: str = ""
    limit_minutes: int = 0

    @property
    def total_cents(self) -> int:
        """The reward and the usual bonus."""
        return self.reward_cents + self.bonus_cents

    @property
    def total(self) -> str:
        """``about $2.00``; without a usual bonus exactly ``$2.00``."""
        about = "about " if self.bonus_cents else ""
        return f"{about}${money.dollars(self.total_cents)}"

    @property
    def pay(self) -> str:
        """``about $2.00 for about 12 minutes, $10.00 an hour``."""
        if not self.minutes:
            return self.total
        an_hour = money.dollars(self.total_cents * 60 // self.minutes)
        unit = "minute" if self.minutes == 1 else "minutes"
        return f"{self.total} for about {self.minutes} {unit}, ${an_hour} an hour"

    @property
    def parts(self) -> str:
        """How the total is made up; empty without a bonus."""
        if not self.bonus_cents:
            return ""
        return (
            f"${money.dollars(self.reward_cents)} reward and usually ${money.dollars(self.bonus_cents)} bonus"
        )

    @property
    def content(self) -> list[str]:
        """``13 pairs``, ``texts in English``, ``page in German``: as far as the requester says."""
        said = []
        if self.pairs:
            said.append(f"{self.pairs} pair{'' if self.pairs == 1 else 's'}")
        if self.language:
            said.append(f"texts in {languages.name_of(self.language)}")
        if self.page_language:
            said.append(f"page in {languages.name_of(self.page_language)}")
        return said

    @property
    def needed_languages(self) -> list[str]:
        """The languages that a worker has to read."""
        return [tag for tag in (self.language, self.page_language) if tag]


def read_offer(reward_cents: int, keywords: str) -> Offer:
    """The offer of a HIT type: its reward, and what its keywords say."""
    said: dict[str, str] = {}
    for keyword in keywords.split(","):
        name, colon, value = keyword.strip().partition(":")
        if colon:
            said.setdefault(name.lower(), value.strip())
    return Offer(
        reward_cents,
        bonus_cents=_cents(said.get("bonus", "")),
        minutes=_whole(said.get("minutes", ""), _MOST_MINUTES),
        pairs=_whole(said.get("pairs", ""), _MOST_PAIRS),
        language=_tag(said.get("language", "")),
        page_language=_tag(said.get("page-language", "")),
        limit_minutes=_whole(said.get("limit", ""), _MOST_MINUTES),
    )


def _whole(word: str, most: int) -> int:
    return int(word) if re.fullmatch(r"[0-9]{1,6}", word) and int(word) <= most else 0


def _cents(word: str) -> int:
    found = re.fullmatch(r"([0-9]{1,5})\.([0-9]{2})", word)
    cents = int(found[1]) * 100 + int(found[2]) if found else 0
    return cents if cents <= _MOST_CENTS else 0


def _tag(word: str) -> str:
    return word if languages.is_tag(word) else ""
