"""The status of a HIT, and the number of places that money is reserved for."""


def hit_status(*, available: int, pending: int, expired: bool) -> str:
    """Return the protocol's status for these counters.

    - Assignable: a place can be taken.
    - Unassignable: no place can be taken, but somebody is still at work.
    - Reviewable: nobody is at work, and nobody can start.
    """
    if available > 0 and not expired:
        return "Assignable"
    return "Unassignable" if pending > 0 else "Reviewable"


def places_held(*, available: int, pending: int, submitted: int, expired: bool) -> int:
    """Return the number of places that money is reserved for: taken, in review or still available."""
    return pending + submitted + (0 if expired else available)
