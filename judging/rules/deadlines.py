"""The deadlines of a task, ours and the crowd's, with time for one extension.

A crowd fixes the time for an assignment when it is offered, so we request twice the campaign's limit and a margin.
Our own deadline comes first, and a worker can extend it once by the campaign's limit. For a while after our deadline,
the crowd still accepts the work that our page submits.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

#: The time to request from the crowd beyond the limit and one extension, for slow networks and late returns.
MARGIN = timedelta(minutes=5)
#: The minimum time between our deadline and the crowd's, no matter when the worker opened the page.
LEAD = timedelta(seconds=30)
#: The time after our deadline in which the page can submit the work itself. After that, the server does.
PAGE_GRACE = timedelta(minutes=2)
#: The time to wait after the crowd's deadline until a submission has reached the crowd and shows up in its list.
GRACE = timedelta(minutes=15)


@dataclass(frozen=True)
class Deadlines:
    """The deadline for judging on our page (``ours``), and the deadline for submitting at the crowd (``crowd``)."""

    ours: datetime
    crowd: datetime


def offered_seconds(limit: int) -> int:
    """Return the seconds to request from the crowd for an assignment of a campaign with this limit in seconds."""
    return 2 * limit + int(MARGIN.total_seconds())


def deadlines(*, opened: datetime, taken: datetime | None, limit: int, offered: int) -> Deadlines:
    """Calculate both deadlines of a task, for which we allow ``limit`` seconds and the crowd ``offered`` seconds.

    Our time starts when the task is ``opened``, and the crowd's when the worker has ``taken`` it there, if known.
    """
    crowd = (taken or opened) + timedelta(seconds=offered)
    return Deadlines(min(opened + timedelta(seconds=limit), crowd - LEAD), crowd)


def extended(known: Deadlines, limit: int) -> datetime | None:
    """Return our deadline extended by ``limit`` seconds, or as far as the crowd's deadline allows.

    Returns None if that would add less than half of ``limit``.
    """
    longer = min(known.ours + timedelta(seconds=limit), known.crowd - LEAD)
    return longer if (longer - known.ours).total_seconds() >= limit / 2 else None
