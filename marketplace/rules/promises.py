"""The expected pay for a submitted task.

The requester's page can send the pay with the answer (``pay_promised``), in one of three forms:

- a total in dollars
- a guaranteed part, plus a part that depends on the requester's decision
- only the statement that the requester decides

Otherwise, the listing's amount for the whole task applies. This is for display only: no payment depends on it.
"""

import re
from dataclasses import dataclass

from marketplace.rules import money

#: The answer field in which a requester's page repeats the pay it promised the worker.
FIELD = "pay_promised"
#: The value of that field if the requester decides later whether the task is paid.
UNDECIDED = "undecided"
_MOST_CENTS = 1_000_000
_DOLLARS = r"(0|[1-9][0-9]{0,4})\.([0-9]{2})"


@dataclass(frozen=True)
class PayToCome:
    """The expected pay for a task, in cents: the reward on approval, and a bonus.

    ``promised`` is the total that the requester's page guaranteed, or None. ``undecided`` is True if the requester
    still decides whether to pay the reward. ``held_cents`` is another bonus that the requester may pay.
    """

    reward_cents: int = 0
    bonus_cents: int = 0
    promised: int | None = None
    undecided: bool = False
    held_cents: int = 0

    @property
    def cents(self) -> int:
        return self.reward_cents + self.bonus_cents + self.held_cents

    @property
    def sure(self) -> bool:
        """True if the amount is exact, False if it is a maximum."""
        return not self.held_cents and (self.promised is not None or not (self.undecided or self.bonus_cents))

    @property
    def total(self) -> str:
        """The total as text: ``$1.04``, or ``up to $2.00`` if it is a maximum."""
        return amount_words(self.cents, sure=self.sure)

    @property
    def bonus(self) -> str:
        """The bonus as text: ``$0.84``, or ``up to $1.80`` if it is a maximum."""
        return amount_words(self.bonus_cents, sure=self.sure)


def amount_words(cents: int, *, sure: bool) -> str:
    """Return the amount as text: ``$1.04`` if it is ``sure``, else ``up to $1.04``."""
    return f"{'' if sure else 'up to '}${money.protocol_amount(cents)}"


def pay_to_come(
    said: str,
    *,
    reward_cents: int,
    usual_bonus_cents: int,
    bonuses_cents: int,
    approved: bool,
    always_says: bool = False,
) -> PayToCome:
    """Return the expected pay for a task in review or ``approved``; ``bonuses_cents`` were already paid.

    ``said`` is the page's promise: ``1.04``, ``undecided``, or two parts, such as ``0.20+1.80`` or ``0.00+2.00``. The
    first part is guaranteed; the requester decides whether to pay the second. A total below the reward is ignored,
    because approval pays the reward anyway.

    If the page ``always_says`` its promise, two kinds of answers promise nothing:

    - an answer without a total, because it did not come from the page
    - a total above the listing's offer, because the worker's browser can change it
    """
    reward = 0 if approved else reward_cents
    most = reward_cents + usual_bonus_cents if always_says else _MOST_CENTS
    sure, held = _amounts(said)
    if reward_cents <= sure + held <= most and (sure >= reward_cents or not sure):
        left = sure + held - max(sure, reward_cents) if held and not bonuses_cents else 0
        if held and not sure:
            return PayToCome(reward, undecided=not approved, held_cents=left)
        return PayToCome(reward, max(0, sure - reward_cents - bonuses_cents), sure, held_cents=left)
    if said == UNDECIDED or always_says:
        return PayToCome(reward, undecided=not approved)
    return PayToCome(reward, 0 if bonuses_cents else usual_bonus_cents)


def _amounts(said: str) -> tuple[int, int]:
    """Return the guaranteed cents, and the cents that the requester may or may not pay.

    Text that is not a valid promise gives more guaranteed cents than any offer allows.
    """
    found = re.fullmatch(rf"{_DOLLARS}(?:\+{_DOLLARS})?", said, re.ASCII)
    if not found:
        return _MOST_CENTS + 1, 0
    first, of_first, second, of_second = (int(part or 0) for part in found.groups())
    return first * 100 + of_first, second * 100 + of_second
