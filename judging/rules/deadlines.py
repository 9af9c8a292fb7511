"""Time limits of tasks, ours and the crowd's, with room for one extension.

A crowd fixes the time for an assignment when it is offered, so we ask for twice the campaign's limit. Our own
deadline comes first, and a worker can move it once by the same length. A margin remains in which the crowd still
accepts the work that our page submits when the time is over.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

#: Extra time at the crowd beyond the limit and its extension, for slow networks and late returns.
MARGIN = timedelta(minutes=5)
#: Our deadline is at least this long before the crowd's, no matter when the worker opened the page.
LEAD = timedelta(seconds=30)
#: The page submits by itself at the deadline. The server then submits work that no page submitted.
PAGE_GRACE = timedelta(minutes=2)
#: The delay after the crowd's deadline within which our submission reaches the crowd, and its list reaches us.
GRACE = timedelta(minutes=15)


@dataclass(frozen=True)
class Deadlines:
    """``ours``: the deadline for judging. ``crowd``: the deadline for submitting to the crowd."""

    ours: datetime
    crowd: datetime


def offered_seconds(limit: int) -> int:
    """Return the seconds to request from the crowd for an assignment with this limit."""
    return 2 * limit + int(MARGIN.total_seconds())


def deadlines(*, opened: datetime, taken: datetime | None, limit: int, offered: int) -> Deadlines:
    """Calculate both deadlines of a task with ``limit`` seconds, for which the crowd gives ``offered`` seconds.

    ``taken`` is when the worker took the task at the crowd, if known: the crowd's time starts then.
    """
    crowd = (taken or opened) + timedelta(seconds=offered)
    return Deadlines(min(opened + timedelta(seconds=limit), crowd - LEAD), crowd)


def extended(known: Deadlines, limit: int) -> datetime | None:
    """Extend our deadline by ``limit`` seconds, or as far as the crowd allows; None if that adds less than half."""
    longer = min(known.ours + timedelta(seconds=limit), known.crowd - LEAD)
    return longer if (longer - known.ours).total_seconds() >= limit / 2 else None
