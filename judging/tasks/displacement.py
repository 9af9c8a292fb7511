"""Reassign held tasks to newly arriving workers at crowds that do not sign arrivals.

At such crowds, anybody who knows a place's id can take tasks under made-up worker ids. So a newcomer for whom no task
is left gets the task of the weakest unconfirmed holder, who can still continue without noticing. Work that the crowd
confirms is paid in full. It counts unless somebody at another place has taken or done the task in the meantime.
"""

from collections.abc import Callable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from judging.models import Campaign, Choice, Consent, Place, Submission, Task, Worker

#: The maximum number of tasks that arrivals at one place hold at once. At the crowd, only one worker has the place.
MOST_LEASES = 3
#: The maximum number of unconfirmed holders' tasks to examine for one that fits the newcomer.
MOST_WEIGHED = 200
#: The maximum number of holders to try, weakest first, if other transactions are changing their tasks.
MOST_TRIED = 10


def make_room(campaign: Campaign, place: Place) -> None:
    """Free the weakest unconfirmed holder's task at this place if arrivals there hold :data:`MOST_LEASES` tasks."""
    here = _unconfirmed_holders(campaign).filter(place=place)
    if here.count() >= MOST_LEASES:
        _displace(here)


def displace_weakest(
    campaign: Campaign, place: Place, seen: QuerySet[Any, Any], fits: Callable[[list[int]], list[int]]
) -> bool:
    """Free the task of the weakest unconfirmed holder at this place or a crowded one; return whether one was freed.

    A place is crowded if several arrivals hold tasks there. ``seen`` is a query for tasks that the newcomer cannot
    do. ``fits`` returns those of the given tasks that have enough gold pairs for the newcomer.
    """
    leases = _unconfirmed_holders(campaign)
    crowded = (
        leases.values("place").annotate(leases=Count("pk")).filter(leases__gt=1).order_by().values("place")
    )
    weak = leases.filter(Q(place=place) | Q(place__in=crowded)).exclude(task__in=seen).exclude(task=None)
    return _displace(weak.filter(task__in=fits([*weak.values_list("task_id", flat=True)[:MOST_WEIGHED]])))


def untouched(campaign: Campaign, worker: Worker) -> Iterator[Submission]:
    """Yield this worker's held submissions with consent but without choices, oldest first.

    Only unsigned arrivals are considered, since anybody who knows the worker's id can make one.
    """
    made = Choice.objects.filter(slot__submission=OuterRef("pk"))
    held = Submission.objects.filter(campaign=campaign, worker=worker, state=Submission.State.HELD)
    unsure = held.filter(taken_at=None, consent__isnull=False).exclude(place=None)
    yield from unsure.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(made)).order_by("opened_at")


def _unconfirmed_holders(campaign: Campaign) -> QuerySet[Submission]:
    """Return submissions that hold a task and that neither the crowd's signature nor its list confirms."""
    held = Submission.objects.filter(
        campaign=campaign, state__in=Submission.LIVE, held_task__state=Task.State.HELD
    )
    return held.filter(taken_at=None).exclude(place=None).exclude(standing=Submission.Standing.TRIAL)


@transaction.atomic
def _displace(leases: QuerySet[Submission]) -> bool:
    """Free the task of the weakest of these submissions; return whether a task was freed.

    The order is by submission (unsubmitted work is weakest), then by number of choices, fewest first. Ties are broken
    by missing consent, then by the earliest opening. Tasks that another transaction is changing are skipped. Waiting
    for it could cause a deadlock, since it may in turn wait for a submission that this transaction has ended
    (:mod:`judging.tasks.lease_ends`).
    """
    agreed = Exists(Consent.objects.filter(submission=OuterRef("pk")))
    ranked = leases.annotate(choices=Count("slots__choices"), agreed=agreed)
    weakest_first = ranked.order_by("-state", "choices", "agreed", "opened_at")
    for holder in weakest_first.values_list("pk", flat=True)[:MOST_TRIED]:
        held = Task.objects.filter(holder=holder, state=Task.State.HELD)
        if task := held.select_for_update(skip_locked=True).values_list("pk", flat=True).first():
            return bool(Task.objects.filter(pk=task, holder=holder).free())
    return False
