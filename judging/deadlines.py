"""Pure: how long a worker has for a task, and how long the crowd has to give so that more time can be asked for.

A crowd fixes the time for an assignment when it is offered, so it is asked for twice the campaign's limit. Our own
deadline comes first, and a worker can move it once by the same length. A margin is left in which the crowd still
takes what our page sends off when the time is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

#: What the crowd gives beyond the limit and its extension: for slow networks, and for workers who come back late.
MARGIN = timedelta(minutes=5)
#: Our deadline is at least this long before the crowd's, whenever the worker opened the page.
LEAD = timedelta(seconds=30)
#: Before the end the page offers more time this early (WCAG 2.2.1 asks for at least 20 seconds).
WARNING_SECONDS = 300
#: A page sends off by itself at the deadline; what no page sent off by then, the server does.
PAGE_GRACE = timedelta(minutes=2)
#: What was sent off from our page may reach the crowd, and we the crowd's list, this much after the crowd's deadline.
GRACE = timedelta(minutes=15)


@dataclass(frozen=True)
class Deadlines:
    """``ours``: until when a worker may judge. ``crowd``: until when the crowd takes the task."""

    ours: datetime
    crowd: datetime


def offered_seconds(limit: int) -> int:
    """The time for an assignment that the crowd is asked to give for tasks with this limit."""
    return 2 * limit + int(MARGIN.total_seconds())


def deadlines(*, opened: datetime, taken: datetime | None, limit: int, offered: int) -> Deadlines:
    """Both deadlines of a task with ``limit`` seconds that the crowd gives ``offered`` seconds for.

    ``taken`` is when the worker took it at the crowd, where that is known: the crowd counts from there.
    """
    crowd = (taken or opened) + timedelta(seconds=offered)
    return Deadlines(min(opened + timedelta(seconds=limit), crowd - LEAD), crowd)


def extended(known: Deadlines, limit: int) -> datetime | None:
    """Our deadline with ``limit`` seconds more, or with as many as the crowd leaves; None for less than half."""
    longer = min(known.ours + timedelta(seconds=limit), known.crowd - LEAD)
    return longer if (longer - known.ours).total_seconds() >= limit / 2 else None
