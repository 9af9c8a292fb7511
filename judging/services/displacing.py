"""Whose task a newcomer gets when too many hold one, where the crowd does not sign who arrives.

There anybody who knows the id of a place can arrive at it under ids that they made up, and each arrival holds a task.
So a newcomer is never refused for their sake: the weakest lease that only an address vouches for gives its task up.
Its worker notices nothing and can go on. What the crowd confirms is paid in full, and counts unless somebody
else did the task in the meantime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from judging.models import Campaign, Choice, Consent, Place, Submission, Task, Worker

#: Tasks that those who arrived at one place hold at once. One worker at a time has the place at the crowd.
MOST_LEASES = 3
#: So many weak leases are looked at for one whose task fits the newcomer.
MOST_WEIGHED = 200


def make_room(place: Place) -> None:
    """Let one task more be held at this place, at another one's cost when there are too many."""
    here = _unconfirmed(place.posting.campaign).filter(place=place)
    if here.count() >= MOST_LEASES:
        _displace(here)


def displace_weakest(
    campaign: Campaign, place: Place, seen: QuerySet[Any, Any], fits: Callable[[list[int]], list[int]]
) -> bool:
    """Free the task of the weakest lease at this place, or at one where several hold a task; whether one was freed.

    ``seen`` names tasks that would be of no use to the newcomer; of the others, ``fits`` returns those that the
    newcomer can be given gold for.
    """
    leases = _unconfirmed(campaign)
    crowded = (
        leases.values("place").annotate(leases=Count("pk")).filter(leases__gt=1).order_by().values("place")
    )
    weak = leases.filter(Q(place=place) | Q(place__in=crowded)).exclude(task__in=seen).exclude(task=None)
    return _displace(weak.filter(task__in=fits([*weak.values_list("task_id", flat=True)[:MOST_WEIGHED]])))


def untouched(campaign: Campaign, worker: Worker) -> Iterator[Submission]:
    """This worker's tasks that were agreed to and have no choice, the oldest first.

    Only those that an address alone vouches for: whoever knows the worker's id can open them.
    """
    made = Choice.objects.filter(slot__submission=OuterRef("pk"))
    held = Submission.objects.filter(campaign=campaign, worker=worker, state=Submission.State.HELD)
    unsure = held.filter(taken_at=None, consent__isnull=False).exclude(place=None)
    yield from unsure.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(made)).order_by("opened_at")


def _unconfirmed(campaign: Campaign) -> QuerySet[Submission]:
    """Those who hold a task and of whom neither the crowd's signature nor its list has spoken."""
    live = [Submission.State.HELD, Submission.State.FINISHED]
    held = Submission.objects.filter(campaign=campaign, state__in=live, held_task__state=Task.State.HELD)
    return held.filter(taken_at=None).exclude(place=None).exclude(standing=Submission.Standing.TRIAL)


def _displace(leases: QuerySet[Submission]) -> bool:
    """Free the task of the weakest: not sent off, fewest choices, not agreed, opened first."""
    agreed = Exists(Consent.objects.filter(submission=OuterRef("pk")))
    ranked = leases.annotate(choices=Count("slots__choices"), agreed=agreed)
    weakest = ranked.order_by("-state", "choices", "agreed", "opened_at").first()
    if weakest is None:
        return False
    held = Task.objects.filter(holder=weakest, state=Task.State.HELD)
    return bool(held.update(state=Task.State.WAITING, holder=None, leased_until=None))
