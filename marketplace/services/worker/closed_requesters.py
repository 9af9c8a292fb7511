"""Find the requesters who exclude a worker, to explain an empty list of tasks.

Requesters exclude workers by a block, or by a list: a qualification that workers of a task must not have.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from marketplace.models import HitType, Qualification, Requester, Worker, WorkerBlock, WorkerMessage
from marketplace.protocol import requirements as qualifying
from marketplace.services import messages

_MESSAGES_SHOWN = 3


@dataclass
class Refusing:
    """A requester who hides tasks from a worker, since when, and the requester's messages since then.

    ``described`` has the descriptions of the qualifications that exclude the worker. It is empty for a block, whose
    reason the protocol hides from workers. ``notices`` has the latest messages that still apply, newest first.
    """

    requester: Requester
    since: datetime
    described: list[str] = field(default_factory=list)
    notices: list[WorkerMessage] = field(default_factory=list)


def refusing(worker: Worker, kinds: Sequence[HitType]) -> list[Refusing]:
    """Return requesters, by name, who hide some of ``kinds`` from this worker by a block or a list."""
    blocks = WorkerBlock.objects.filter(worker=worker, requester__in={kind.requester_id for kind in kinds})
    blocking = {
        row.requester_id: Refusing(row.requester, row.created_at)
        for row in blocks.select_related("requester")
    }
    listing: dict[int, Refusing] = {}
    for row in _listings(worker, kinds):
        requester = row.qualification_type.requester
        one = listing.setdefault(requester.pk, Refusing(requester, row.granted_at))
        one.since = min(one.since, row.granted_at)
        if row.qualification_type.description not in one.described:
            one.described.append(row.qualification_type.description)
    found = (listing | blocking).values()
    for one in found:
        told = WorkerMessage.objects.filter(worker=worker, requester=one.requester, sent_at__gte=one.since)
        one.notices = list(told.filter(over_at=None).order_by("-pk")[:_MESSAGES_SHOWN])
    return sorted(found, key=lambda one: one.requester.name)


def _listings(worker: Worker, kinds: Iterable[HitType]) -> list[Qualification]:
    """Return the worker's qualifications that hide some of these tasks, granted by the tasks' requester."""
    hiding = {
        (kind.requester_id, requirement["QualificationTypeId"])
        for kind in kinds
        for requirement in kind.requirements
        if requirement["Comparator"] == "DoesNotExist" and "discover" in qualifying.guarded(requirement)
    }
    if not hiding:
        return []
    rows = Qualification.objects.filter(
        worker=worker, granted=True, qualification_type__type_id__in={name for _, name in hiding}
    ).select_related("qualification_type__requester")
    return [
        row
        for row in rows.order_by("pk")
        if (row.qualification_type.requester_id, row.qualification_type.type_id) in hiding
    ]


def hidden_by(requester: Requester, type_id: str) -> list[HitType]:
    """Return the requester's HIT types that are closed to workers with this qualification, hidden or not."""
    kinds = requester.hit_types.filter(required__type_id=type_id, deleted_at=None)
    return [kind for kind in kinds if _is_hidden(kind, {type_id})]


def _is_hidden(kind: HitType, lists: Collection[str]) -> bool:
    """Return whether tasks of this HIT type are closed to the workers on one of these lists (type ids)."""
    return any(
        requirement["Comparator"] == "DoesNotExist" and requirement["QualificationTypeId"] in lists
        for requirement in kind.requirements
    )


def offer_again(
    worker: Worker, requester: Requester, kinds: Iterable[HitType], *, since: datetime, now: datetime
) -> None:
    """Tell the worker that the requester offers tasks again, and mark earlier messages as outdated.

    These are the requester's messages ``since`` the tasks were hidden. Does nothing while another block or list hides
    all ``kinds``, or if the requester wrote no message.
    """
    if WorkerBlock.objects.filter(worker=worker, requester=requester).exists():
        return
    standing = Qualification.objects.filter(
        worker=worker, granted=True, qualification_type__requester=requester
    )
    lists = set(standing.values_list("qualification_type__type_id", flat=True))
    if all(_is_hidden(kind, lists) for kind in kinds):
        return
    subject = f"{requester.name} offers you tasks again"
    # The same message, sent when the worker left the first of several lists, still applies.
    earlier = worker.messages.filter(requester=requester, sent_at__gte=since, over_at=None)
    if not earlier.exclude(subject=subject).update(over_at=now):
        return
    text = (
        f"You can take tasks of {requester.name} again. Earlier messages that said otherwise no longer apply."
    )
    messages.message_workers([worker], requester, subject, text, now)
