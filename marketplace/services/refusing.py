"""Requesters who keep their tasks from a worker: an empty page would tell the worker nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    found = {
        row.requester_id: Refusing(row.requester, row.created_at)
        for row in blocks.select_related("requester")
    }
    for row in _listings(worker, kinds):
        requester = row.qualification_type.requester
        described = row.qualification_type.description
        found.setdefault(requester.pk, Refusing(requester, row.granted_at, described))
    for one in found.values():
        told = WorkerMessage.objects.filter(worker=worker, requester=one.requester, sent_at__gte=one.since)
        one.notices = list(told.order_by("-pk")[:_MESSAGES_SHOWN])
    return sorted(found.values(), key=lambda one: one.requester.name)


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


def hides_tasks(requester: Requester, type_id: str) -> bool:
    """Whether any tasks of the requester are kept from those who have this qualification."""
    kinds = HitType.objects.filter(requester=requester, required__type_id=type_id)
    return any(
        requirement["QualificationTypeId"] == type_id and requirement["Comparator"] == "DoesNotExist"
        for kind in kinds
        for requirement in kind.requirements
    )


def offer_again(worker: Worker, requester: Requester, *, since: datetime, now: datetime) -> None:
    """Mark what the requester wrote since it kept its tasks from the worker as over, and say that they are back.

    Nothing is done while another block or list stands, or when the requester had written nothing.
    """
    kinds = list(requester.hit_types.filter(deleted_at=None))
    if WorkerBlock.objects.filter(worker=worker, requester=requester).exists() or _listings(worker, kinds):
        return
    earlier = worker.messages.filter(requester=requester, sent_at__gte=since, over_at=None)
    if not earlier.update(over_at=now):
        return
    subject = f"{requester.name} offers you tasks again"
    text = (
        f"You can take tasks of {requester.name} again. Earlier messages that said otherwise no longer apply."
    )
    messages.write([worker], requester, subject, text, now)
