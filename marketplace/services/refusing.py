"""Requesters who keep their tasks from a worker: an empty page would tell the worker nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from marketplace import qualifying
from marketplace.models import HitType, Qualification, Requester, Worker, WorkerBlock, WorkerMessage
from marketplace.services import messages

_MESSAGES_SHOWN = 3


@dataclass
class Refusing:
    """A requester whose tasks a worker does not see, since when, and what the requester says of it.

    ``described`` is what stands in the qualification that its tasks ask nobody to have; empty for a block, whose
    reason the protocol keeps from workers. ``notices`` are the requester's messages since then, the newest first.
    """

    requester: Requester
    since: datetime
    described: str = ""
    notices: list[WorkerMessage] = field(default_factory=list)


def refusing(worker: Worker, kinds: Sequence[HitType]) -> list[Refusing]:
    """Those who offer one of ``kinds`` and keep some from this worker by a block or by a list, by name."""
    blocks = WorkerBlock.objects.filter(worker=worker, requester__in={kind.requester_id for kind in kinds})
    found = [Refusing(row.requester, row.created_at) for row in blocks.select_related("requester")]
    blocking = {one.requester.pk for one in found}
    for row in _listings(worker, kinds):
        kind = row.qualification_type
        if kind.requester_id not in blocking:
            found.append(Refusing(kind.requester, row.granted_at, kind.description))
    for one in found:
        told = WorkerMessage.objects.filter(worker=worker, requester=one.requester, sent_at__gte=one.since)
        one.notices = list(told.filter(over_at=None).order_by("-pk")[:_MESSAGES_SHOWN])
    return sorted(found, key=lambda one: one.requester.name)


def _listings(worker: Worker, kinds: Iterable[HitType]) -> list[Qualification]:
    """The worker's qualifications of a requester's own that hide tasks of that requester."""
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
    """The requester's kinds of tasks that are kept from those who have this qualification."""
    kinds = requester.hit_types.filter(required__type_id=type_id, deleted_at=None)
    return [kind for kind in kinds if _is_hidden(kind, {type_id})]


def _is_hidden(kind: HitType, lists: Collection[str]) -> bool:
    """Whether one of these lists keeps the tasks from those who are on it."""
    return any(
        requirement["Comparator"] == "DoesNotExist" and requirement["QualificationTypeId"] in lists
        for requirement in kind.requirements
    )


def offer_again(
    worker: Worker, requester: Requester, kinds: Iterable[HitType], *, since: datetime, now: datetime
) -> None:
    """Mark what the requester wrote since it kept these tasks from the worker as over, and say that they are back.

    Nothing is done while another block or list hides all of them, or when the requester had written nothing.
    """
    if WorkerBlock.objects.filter(worker=worker, requester=requester).exists():
        return
    standing = Qualification.objects.filter(
        worker=worker, granted=True, qualification_type__requester=requester
    )
    lists = set(standing.values_list("qualification_type__type_id", flat=True))
    if all(_is_hidden(kind, lists) for kind in kinds):
        return
    earlier = worker.messages.filter(requester=requester, sent_at__gte=since, over_at=None)
    if not earlier.update(over_at=now):
        return
    subject = f"{requester.name} offers you tasks again"
    text = (
        f"You can take tasks of {requester.name} again. Earlier messages that said otherwise no longer apply."
    )
    messages.write([worker], requester, subject, text, now)
