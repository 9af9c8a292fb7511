"""The next payout day."""

from datetime import date


def next_payout(today: date, day: int) -> date | None:
    """Return the next ``day`` of a month (1 to 28), today included; None for 0 (no day is set)."""
    if not day:
        return None
    if today.day <= day:
        return today.replace(day=day)
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return date(year, month, day)
