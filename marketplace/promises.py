"""Pure: what a submitted task is still to be paid, as far as anybody said it.

The requester's page may say it with the answer (``pay_promised``): the total in dollars, or that the requester
decides. Without that there is what the listing said, which is for the whole task. Nothing is ever paid because of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from marketplace import money

#: The answer field in which a requester's page says what it told the worker about the pay.
FIELD = "pay_promised"
#: Its value where the requester decides later whether the task is paid.
UNDECIDED = "undecided"
_MOST_CENTS = 1_000_000


@dataclass(frozen=True)
class Coming:
    """Cents that a task is still to be paid: the reward when it is approved, and a bonus.

    ``promised`` is the total that the requester's page named, None where it named none; ``undecided``: it said that
    the requester decides.
    """

    reward_cents: int = 0
    bonus_cents: int = 0
    promised: int | None = None
    undecided: bool = False

    @property
    def cents(self) -> int:
        """Both together."""
        return self.reward_cents + self.bonus_cents

    @property
    def sure(self) -> bool:
        """Whether it is that much, and not that much at most."""
        return self.promised is not None or not (self.undecided or self.bonus_cents)

    @property
    def total(self) -> str:
        """``$1.04``, or ``up to $2.00``."""
        return in_words(self.cents, sure=self.sure)

    @property
    def bonus(self) -> str:
        """``$0.84``, or ``up to $1.80``."""
        return in_words(self.bonus_cents, sure=self.sure)


def in_words(cents: int, *, sure: bool) -> str:
    """An amount, or the most that it can be."""
    return f"{'' if sure else 'up to '}${money.dollars(cents)}"


def coming(
    said: str, *, reward_cents: int, usual_bonus_cents: int, bonuses_cents: int, approved: bool
) -> Coming:
    """What is still to be paid for a task that is in review or ``approved``, of which ``bonuses_cents`` were paid.

    ``said`` is what the page sent. A total below the reward, which an approval pays anyway, is no total.
    """
    reward = 0 if approved else reward_cents
    promised = _cents(said)
    if promised is not None and promised >= reward_cents:
        return Coming(reward, max(0, promised - reward_cents - bonuses_cents), promised)
    if said == UNDECIDED:
        return Coming(reward, undecided=not approved)
    return Coming(reward, 0 if bonuses_cents else usual_bonus_cents)


def _cents(word: str) -> int | None:
    found = re.fullmatch(r"(0|[1-9][0-9]{0,4})\.([0-9]{2})", word, re.ASCII)
    cents = int(found[1]) * 100 + int(found[2]) if found else _MOST_CENTS + 1
    return cents if cents <= _MOST_CENTS else None
