"""Operations on the scores workers have in qualification types."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from marketplace.errors import RequestError
from marketplace.models import Qualification, QualificationType, Worker
from marketplace.services import descriptions, messages, refusing
from marketplace.services.call import Call
from marketplace.services.paging import page
from marketplace.services.qualification_types import find
from marketplace.services.workers import find as find_worker


def associate_qualification_with_worker(call: Call) -> dict[str, Any]:
    """AssociateQualificationWithWorker: repeats overwrite the score; by default the worker is told."""
    kind = find(call)
    if not kind.active:
        raise RequestError("InvalidQualificationTypeState", f"QualificationType {kind.type_id} is inactive.")
    worker = find_worker(call)
    with transaction.atomic():
        grant(kind, worker, call.request.get("IntegerValue", 1), call.now)
        if call.request.get("SendNotification", True):
            subject = f"You have been granted the qualification {kind.name}"
            messages.write([worker], call.requester, subject, kind.description, call.now)
    return {}


def grant(kind: QualificationType, worker: Worker, value: int, now: datetime) -> None:
    """Give a score, or overwrite it."""
    values = {"value": value, "granted": True, "granted_at": now}
    Qualification.objects.update_or_create(qualification_type=kind, worker=worker, defaults=values)


def disassociate_qualification_from_worker(call: Call) -> dict[str, Any]:
    """DisassociateQualificationFromWorker: revokes it; the score is kept as revoked."""
    kind, worker = find(call), find_worker(call)
    granted = Qualification.objects.filter(qualification_type=kind, worker=worker, granted=True)
    with transaction.atomic():
        listed = granted.first()
        if listed is None or not granted.update(granted=False):
            raise _not_granted(call)
        hidden = refusing.hidden_by(call.requester, kind.type_id)
        refusing.offer_again(worker, call.requester, hidden, since=listed.granted_at, now=call.now)
        if reason := call.request.get("Reason", ""):
            subject = f"The qualification {kind.name} was taken back"
            messages.write([worker], call.requester, subject, reason, call.now)
    return {}


def get_qualification_score(call: Call) -> dict[str, Any]:
    """GetQualificationScore: granted or revoked."""
    kind, worker = find(call), find_worker(call)
    rows = kind.qualifications.select_related("qualification_type", "worker")
    row = rows.filter(worker=worker).first()
    if row is None:
        raise _not_granted(call)
    return {"Qualification": descriptions.qualification(row)}


def list_workers_with_qualification_type(call: Call) -> dict[str, Any]:
    """ListWorkersWithQualificationType: granted unless Revoked is asked for."""
    kind = find(call)
    status = call.request.get("Status", "Granted")
    rows = kind.qualifications.filter(granted=status == "Granted")
    found = page(
        rows.select_related("qualification_type", "worker"), call, of=f"qualified {kind.pk} {status}"
    )
    return found.answer("Qualifications", [descriptions.qualification(row) for row in found.rows])


def _not_granted(call: Call) -> RequestError:
    return RequestError(
        "QualificationDoesNotExist",
        f"Worker {call.request['WorkerId']} has no score in QualificationType "
        f"{call.request['QualificationTypeId']}.",
    )
