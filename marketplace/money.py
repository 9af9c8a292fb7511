"""Dollars, cents and fees. Pure; every amount inside the marketplace is a whole number of cents.

Fees as MTurk states them: 20 % of the reward or bonus, 40 % of the reward when a HIT has ten or more
assignments, at least one cent, half a cent rounded up.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

FEE_PERCENT = 20
MANY_ASSIGNMENTS = 10
MANY_ASSIGNMENTS_PERCENT = 40
LEAST_FEE_CENTS = 1


def cents(amount: str) -> int:
    """``"2"``, ``"2."`` or ``"2.05"`` (the protocol's pattern) in cents."""
    return int((Decimal(amount) * 100).to_integral_value(ROUND_HALF_UP))


def dollars(amount: int) -> str:
    """Cents as the protocol writes money: ``"2.05"``. Never negative."""
    return f"{amount // 100}.{amount % 100:02d}"


def fee(amount: int, *, percent: int = FEE_PERCENT) -> int:
    """The fee on ``amount`` cents, itself in cents; nothing is charged on nothing."""
    if amount == 0:
        return 0
    return max(LEAST_FEE_CENTS, (amount * percent + 50) // 100)


def reward_fee(reward: int, assignments: int) -> int:
    """The fee on one reward of a HIT that has so many assignments."""
    many = assignments >= MANY_ASSIGNMENTS
    return fee(reward, percent=MANY_ASSIGNMENTS_PERCENT if many else FEE_PERCENT)
