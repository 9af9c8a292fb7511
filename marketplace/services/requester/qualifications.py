from datetime import datetime
from typing import Any

from django.db import transaction

from marketplace.errors import RequestError
from marketplace.models import Qualification, QualificationType, Worker
from marketplace.services import messages
from marketplace.services.call import Call
from marketplace.services.requester import descriptions
from marketplace.services.requester.list_pages import page
from marketplace.services.requester.qualification_types import qualification_type_of_call
from marketplace.services.requester.workers import worker_of_call as find_worker
from marketplace.services.worker import closed_requesters as refusing


def associate_qualification_with_worker(call: Call) -> dict[str, Any]:
    """Set or overwrite a worker's score in a qualification. By default, the worker is notified."""
    kind = qualification_type_of_call(call)
    if not kind.active:
        raise RequestError("InvalidQualificationTypeState", f"QualificationType {kind.type_id} is inactive.")
    worker = find_worker(call)
    with transaction.atomic():
        grant_score(kind, worker, call.request.get("IntegerValue", 1), call.now)
        if call.request.get("SendNotification", True):
            subject = f"You have been granted the qualification {kind.name}"
            messages.message_workers([worker], call.requester, subject, kind.description, call.now)
    return {}


def grant_score(kind: QualificationType, worker: Worker, value: int, now: datetime) -> None:
    """Set or overwrite a worker's score in a qualification."""
    values = {"value": value, "granted": True, "granted_at": now}
    Qualification.objects.update_or_create(qualification_type=kind, worker=worker, defaults=values)


def disassociate_qualification_from_worker(call: Call) -> dict[str, Any]:
    """Revoke a worker's score in a qualification. The row is kept."""
    kind, worker = qualification_type_of_call(call), find_worker(call)
    granted = Qualification.objects.filter(qualification_type=kind, worker=worker, granted=True)
    with transaction.atomic():
        listed = granted.first()
        if listed is None or not granted.update(granted=False):
            raise _not_granted(call)
        hidden = refusing.hidden_by(call.requester, kind.type_id)
        refusing.offer_again(worker, call.requester, hidden, since=listed.granted_at, now=call.now)
        if reason := call.request.get("Reason", ""):
            subject = f"The qualification {kind.name} was revoked"
            messages.message_workers([worker], call.requester, subject, reason, call.now)
    return {}


def get_qualification_score(call: Call) -> dict[str, Any]:
    """Return a worker's score in a qualification, granted or revoked."""
    kind, worker = qualification_type_of_call(call), find_worker(call)
    rows = kind.qualifications.select_related("qualification_type", "worker")
    row = rows.filter(worker=worker).first()
    if row is None:
        raise _not_granted(call)
    return {"Qualification": descriptions.qualification(row)}


def list_workers_with_qualification_type(call: Call) -> dict[str, Any]:
    """List the granted scores in a qualification or, with Status Revoked, the revoked ones."""
    kind = qualification_type_of_call(call)
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
