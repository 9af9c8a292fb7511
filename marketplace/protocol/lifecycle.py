"""The status of a HIT."""


def hit_status(*, available: int, pending: int, expired: bool) -> str:
    """Return the protocol's status for these counters.

    Assignable while a place can be taken; Reviewable when nobody works on it and nobody can start;
    Unassignable in between (all places taken, or expired with someone still at work).
    """
    if available > 0 and not expired:
        return "Assignable"
    return "Unassignable" if pending > 0 else "Reviewable"


def places_held(*, available: int, pending: int, submitted: int, expired: bool) -> int:
    """Return the number of places that money is held for: taken, in review or still available."""
    return pending + submitted + (0 if expired else available)
