"""The pay and the requirements of a task, read from its HIT type, and their wording.

The protocol has a reward, a time limit and free text. A requester can put more into the keywords, each at most once:

- ``bonus:1.80``: the usual bonus in dollars.
- ``minutes:12``: the usual duration.
- ``limit:60``: the minutes after which the page ends the task, if earlier than the assignment's time limit.
- ``pairs:13`` or ``pairs:13-15``: the number of pairs (``passages:13`` if single passages are judged).
- ``language:en``: the language of the texts.
- ``page-language:de``: the language of the page.
- ``promise:answer``: the page sends its promised pay with every answer.

Any other keyword is an ordinary one. These keywords are only for display.
"""

import re
from dataclasses import dataclass

from marketplace.plurals import many
from marketplace.rules import languages, money

_MOST_MINUTES, _MOST_PAIRS, _MOST_CENTS = 10_000, 100_000, 1_000_000


@dataclass(frozen=True)
class Offer:
    """The pay, size and languages of a task. 0 or an empty text means that the requester did not state a value.

    ``pairs`` is the maximum per task; ``item`` is the word for one of them (pair or passage).
    """

    reward_cents: int
    bonus_cents: int = 0
    minutes: int = 0
    pairs: int = 0
    fewest_pairs: int = 0
    item: str = "pair"
    language: str = ""
    page_language: str = ""
    limit_minutes: int = 0
    promises_in_answer: bool = False

    @property
    def total_cents(self) -> int:
        """The reward plus the usual bonus, in cents."""
        return self.reward_cents + self.bonus_cents

    @property
    def total(self) -> str:
        """The reward plus the usual bonus as text, such as ``$2.00``."""
        return f"${money.protocol_amount(self.total_cents)}"

    @property
    def pay(self) -> str:
        """The pay in words, such as ``$2.00 for about 12 minutes, $10.00 an hour``."""
        if not self.minutes:
            return self.total
        an_hour = money.protocol_amount(self.total_cents * 60 // self.minutes)
        return f"{self.total} for about {many(self.minutes, 'minute')}, ${an_hour} an hour"

    @property
    def parts(self) -> str:
        """The reward and the bonus in words; empty without a bonus."""
        if not self.bonus_cents:
            return ""
        reward, bonus = money.protocol_amount(self.reward_cents), money.protocol_amount(self.bonus_cents)
        return f"${reward} reward and ${bonus} bonus for the whole task"

    @property
    def content(self) -> list[str]:
        """The known size and languages in words, such as ``13 pairs``, ``texts in English``, ``page in German``."""
        said = []
        if self.pairs:
            least = f"{self.fewest_pairs} to " if 0 < self.fewest_pairs < self.pairs else ""
            said.append(f"{least}{many(self.pairs, self.item)}")
        if self.language:
            said.append(f"texts in {languages.name_of(self.language)}")
        if self.page_language:
            said.append(f"page in {languages.name_of(self.page_language)}")
        return said

    @property
    def needed_languages(self) -> list[str]:
        """The tags of the languages that a worker must be able to read."""
        return [tag for tag in (self.language, self.page_language) if tag]


def read_offer(reward_cents: int, keywords: str) -> Offer:
    """Return the offer of a HIT type from its reward and keywords."""
    said: dict[str, str] = {}
    for keyword in keywords.split(","):
        name, colon, value = keyword.strip().partition(":")
        if colon:
            said.setdefault(name.lower(), value.strip())
    item = "passage" if "passages" in said and "pairs" not in said else "pair"
    fewest, dash, most = said.get(f"{item}s", "").partition("-")
    return Offer(
        reward_cents,
        bonus_cents=_bonus_cents(said.get("bonus", "")),
        minutes=_bounded_number(said.get("minutes", ""), _MOST_MINUTES),
        pairs=_bounded_number(most if dash else fewest, _MOST_PAIRS),
        fewest_pairs=_bounded_number(fewest, _MOST_PAIRS),
        item=item,
        language=_language_tag(said.get("language", "")),
        page_language=_language_tag(said.get("page-language", "")),
        limit_minutes=_bounded_number(said.get("limit", ""), _MOST_MINUTES),
        promises_in_answer=said.get("promise") == "answer",
    )


def _bounded_number(word: str, most: int) -> int:
    return int(word) if re.fullmatch(r"[0-9]{1,6}", word) and int(word) <= most else 0


def _bonus_cents(word: str) -> int:
    found = re.fullmatch(r"([0-9]{1,5})\.([0-9]{2})", word)
    cents = int(found[1]) * 100 + int(found[2]) if found else 0
    return cents if cents <= _MOST_CENTS else 0


def _language_tag(word: str) -> str:
    return word if languages.is_tag(word) else ""
