"""Dollars, cents and fees. Every amount inside the marketplace is a whole number of cents.

The fees are those of MTurk: 20% of the reward or bonus, but 40% of the reward if a HIT has ten or more assignments.
A fee is at least one cent (none on an amount of 0), and half a cent is rounded up.
"""

from decimal import ROUND_HALF_UP, Decimal

FEE_PERCENT = 20
MANY_ASSIGNMENTS = 10
MANY_ASSIGNMENTS_PERCENT = 40
LEAST_FEE_CENTS = 1


def cents(amount: str) -> int:
    """Convert ``"2"``, ``"2."`` or ``"2.05"`` (the protocol's pattern) to cents."""
    return int((Decimal(amount) * 100).to_integral_value(ROUND_HALF_UP))


def protocol_amount(amount: int) -> str:
    """Format cents (at least 0) as the protocol writes money: ``"2.05"``."""
    return f"{amount // 100}.{amount % 100:02d}"


def fee(amount: int, *, percent: int = FEE_PERCENT) -> int:
    """Return the fee on ``amount`` cents, in cents; 0 for an amount of 0."""
    if amount == 0:
        return 0
    return max(LEAST_FEE_CENTS, (amount * percent + 50) // 100)


def reward_fee(reward: int, assignments: int) -> int:
    """Return the fee, in cents, on one reward of a HIT that has ``assignments`` assignments."""
    many = assignments >= MANY_ASSIGNMENTS
    return fee(reward, percent=MANY_ASSIGNMENTS_PERCENT if many else FEE_PERCENT)
