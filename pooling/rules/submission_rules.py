"""Compute when a team's next run is accepted, given a maximum number of runs in any period of some days."""

from collections.abc import Sequence
from datetime import date, timedelta


def next_welcome(submitted: Sequence[date], *, wanted: date, most: int, days: int) -> date:
    """Return the first day, on or after ``wanted``, when one more run leaves no period with over ``most`` runs.

    A period is any ``days`` consecutive days, so two runs share a period if they are fewer than ``days`` days apart.
    Runs submitted after ``wanted`` count too, because past runs may be imported in any order.
    """
    # A forbidden day stays forbidden until some run is a whole period old.
    later = {day + timedelta(days=days) for day in submitted}
    candidates = [wanted, *sorted(day for day in later if day > wanted)]
    return next(day for day in candidates if keeps_to([*submitted, day], day, most=most, days=days))


def keeps_to(submitted: Sequence[date], day: date, *, most: int, days: int) -> bool:
    """Return whether every period that contains ``day`` has at most ``most`` runs."""
    ordered = sorted(submitted)
    return not any(
        (last - first).days < days and first <= day <= last
        for first, last in zip(ordered, ordered[most:], strict=False)
    )
