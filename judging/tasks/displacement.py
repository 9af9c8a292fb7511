"""Reassignment of held tasks to newcomers where the crowd does not sign arrivals.

At such crowds, anybody who knows a place's id can take tasks under made-up worker ids. These never block a newcomer:
the newcomer gets the task of the weakest unconfirmed holder, who can still continue without noticing. Work that the
crowd confirms is paid in full, and counts unless somebody else did the task in the meantime.
"""

from collections.abc import Callable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from judging.models import Campaign, Choice, Consent, Place, Submission, Task, Worker

#: The maximum number of tasks held at once by arrivals at one place. At the crowd, one worker at a time has the
#: place.
MOST_LEASES = 3
#: The number of weak leases to examine for a task that fits the newcomer.
MOST_WEIGHED = 200
#: The number of holders to try, weakest first, while other transactions are changing their tasks.
MOST_TRIED = 10


def make_room(campaign: Campaign, place: Place) -> None:
    """Make room for one more task at this place, displacing another if there are too many."""
    here = _unconfirmed_holders(campaign).filter(place=place)
    if here.count() >= MOST_LEASES:
        _displace(here)


def displace_weakest(
    campaign: Campaign, place: Place, seen: QuerySet[Any, Any], fits: Callable[[list[int]], list[int]]
) -> bool:
    """Free the task of the weakest lease at this place or a crowded place. Return whether a task was freed.

    A place is crowded if several arrivals hold a task there. ``seen`` names tasks that the newcomer cannot use.
    Of the others, ``fits`` returns those with gold for the newcomer.
    """
    leases = _unconfirmed_holders(campaign)
    crowded = (
        leases.values("place").annotate(leases=Count("pk")).filter(leases__gt=1).order_by().values("place")
    )
    weak = leases.filter(Q(place=place) | Q(place__in=crowded)).exclude(task__in=seen).exclude(task=None)
    return _displace(weak.filter(task__in=fits([*weak.values_list("task_id", flat=True)[:MOST_WEIGHED]])))


def untouched(campaign: Campaign, worker: Worker) -> Iterator[Submission]:
    """Yield this worker's tasks with consent but without choices, oldest first.

    This covers only tasks for which an address alone names the worker, since anybody with the id can open those.
    """
    made = Choice.objects.filter(slot__submission=OuterRef("pk"))
    held = Submission.objects.filter(campaign=campaign, worker=worker, state=Submission.State.HELD)
    unsure = held.filter(taken_at=None, consent__isnull=False).exclude(place=None)
    yield from unsure.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(made)).order_by("opened_at")


def _unconfirmed_holders(campaign: Campaign) -> QuerySet[Submission]:
    """Find holders of a task whom neither the crowd's signature nor its list confirms."""
    held = Submission.objects.filter(
        campaign=campaign, state__in=Submission.LIVE, held_task__state=Task.State.HELD
    )
    return held.filter(taken_at=None).exclude(place=None).exclude(standing=Submission.Standing.TRIAL)


@transaction.atomic
def _displace(leases: QuerySet[Submission]) -> bool:
    """Free the weakest holder's task: not submitted, fewest choices, no consent, opened first.

    It passes over tasks that another transaction is changing. Waiting for one could be a deadlock: the other
    transaction may wait for a submission that this one has ended (see :mod:`judging.tasks.lease_ends`).
    """
    agreed = Exists(Consent.objects.filter(submission=OuterRef("pk")))
    ranked = leases.annotate(choices=Count("slots__choices"), agreed=agreed)
    weakest_first = ranked.order_by("-state", "choices", "agreed", "opened_at")
    for holder in weakest_first.values_list("pk", flat=True)[:MOST_TRIED]:
        held = Task.objects.filter(holder=holder, state=Task.State.HELD)
        if task := held.select_for_update(skip_locked=True).values_list("pk", flat=True).first():
            return bool(Task.objects.filter(pk=task, holder=holder).free())
    return False
