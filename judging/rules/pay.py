"""A worker's pay for a task: a single reward, or split into a base reward and a bonus for the pairs judged.

All amounts are dollars with two decimals. Promised amounts are rounded up to a cent, so that nobody gets less than
promised. Hourly pay is rounded down.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from judging.rules.worker_sentences import ENGLISH, Wording

CENT = Decimal("0.01")
#: The default base reward for a submission when pay is split.
BASE_REWARD = Decimal("0.20")


@dataclass(frozen=True)
class Pay:
    """The pay of a task in dollars: ``base`` for submitting it, ``bonus`` for judging every pair (0 if not split)."""

    base: Decimal
    bonus: Decimal

    @property
    def whole(self) -> Decimal:
        """The pay for the whole task: base and bonus."""
        return self.base + self.bonus

    def bonus_for(self, judged: int, shown: int) -> Decimal:
        """Calculate the bonus for judging ``judged`` of the ``shown`` pairs, gold pairs included.

        Raises ValueError if more pairs are judged than shown.
        """
        if not 0 <= judged <= shown:
            raise ValueError(f"{judged} of {shown} pairs can't be judged")
        if not shown:
            return Decimal("0.00")
        return at_least(self.bonus * judged / shown)

    def earned(self, judged: int, shown: int) -> Decimal:
        """Calculate the base and bonus for judging ``judged`` of the ``shown`` pairs."""
        return self.base + self.bonus_for(judged, shown)


def pay_of(reward: Decimal, base_reward: Decimal, *, split: bool) -> Pay:
    """Return the pay of a task with a total of ``reward`` dollars.

    With ``split``, the base is ``base_reward``, but at most ``reward``, and the rest is the bonus.
    """
    base = min(base_reward, reward) if split else reward
    return Pay(base, reward - base)


def rounded(amount: Decimal) -> Decimal:
    """Round to cents, half a cent up."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def at_least(amount: Decimal) -> Decimal:
    """Round up to cents, so that nobody gets a fraction of a cent less than promised."""
    return amount.quantize(CENT, rounding=ROUND_CEILING)


def hourly(amount: Decimal, seconds: float) -> Decimal:
    """Convert ``amount`` dollars for ``seconds`` (counted as at least 1) to hourly pay, rounded down to a cent."""
    return (amount * 3600 / _exact(max(seconds, 1.0))).quantize(CENT, rounding=ROUND_FLOOR)


def least_pay(seconds: float, minimum_hourly: Decimal) -> Decimal:
    """Calculate the lowest pay in dollars at which ``seconds`` of work earn ``minimum_hourly`` dollars an hour."""
    return at_least(minimum_hourly * _exact(seconds) / 3600)


def shortfall(paid: Decimal, seconds: float, minimum_hourly: Decimal) -> Decimal:
    """Calculate by how many dollars ``paid`` falls short of the minimum for ``seconds`` of work.

    ``minimum_hourly`` is the minimum in dollars an hour. Returns 0 if ``paid`` reaches it.
    """
    return max(least_pay(seconds, minimum_hourly) - paid, Decimal("0.00"))


def _exact(seconds: float) -> Decimal:
    """Convert seconds to a Decimal, rounded to microseconds, since float errors could round up to an extra cent."""
    return Decimal(str(round(seconds, 6)))


def offer_in_words(pay: Pay, minutes: int, wording: Wording = ENGLISH) -> str:
    """Return words with a task's whole pay, its usual time in ``minutes``, and the resulting hourly pay."""
    told = wording.ngettext(
        "${whole} for about {minutes} minute, ${hourly} an hour",
        "${whole} for about {minutes} minutes, ${hourly} an hour",
        minutes,
    )
    an_hour = hourly(pay.whole, minutes * 60)
    return told.format(whole=f"{pay.whole:.2f}", minutes=minutes, hourly=f"{an_hour:.2f}")


def pay_words(pay: Pay, pairs: int, wording: Wording = ENGLISH) -> str:
    """Return sentences that tell workers how much a task pays, and when.

    ``pairs`` is the number of pairs in the task, gold pairs included.
    """
    if not pay.whole:
        return wording.gettext("This work is not paid.")
    if not pay.bonus:
        told = wording.gettext(
            "You are paid ${whole} for this task, whatever you choose, once you have judged every pair and "
            "submitted it. If you stop earlier, the requester decides whether you are paid."
        )
        return told.format(whole=f"{pay.whole:.2f}")
    example = max(1, pairs // 2)
    told = wording.ngettext(
        "You are paid ${whole} for this task of {pairs} pair, whatever you choose: ${base} for submitting it, and "
        "a bonus of ${bonus} for judging it. The bonus comes shortly after the reward.",
        "You are paid ${whole} for this task of {pairs} pairs, whatever you choose: ${base} for submitting it, and "
        "a bonus of ${bonus} for judging every pair. You may stop after any pair and submit what you have judged; "
        "then the bonus is for the pairs you judged. For {example} of {pairs} pairs you are paid ${earned} in all. "
        "The bonus comes shortly after the reward.",
        pairs,
    )
    return told.format(
        whole=f"{pay.whole:.2f}",
        base=f"{pay.base:.2f}",
        bonus=f"{pay.bonus:.2f}",
        earned=f"{pay.earned(example, pairs):.2f}",
        pairs=pairs,
        example=example,
    )
