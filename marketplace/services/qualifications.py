"""Operations on qualification types and the scores workers have in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from marketplace import qualifying
from marketplace.errors import RequestError
from marketplace.models import Qualification, QualificationType, WorkerMessage
from marketplace.services import descriptions, limits
from marketplace.services.call import Call
from marketplace.services.paging import page
from marketplace.services.workers import find as find_worker

_SYSTEM_SINCE = datetime(2017, 1, 17, tzinfo=UTC)


def create_qualification_type(call: Call) -> dict[str, Any]:
    """CreateQualificationType: granted by the requester alone; names are unique per requester."""
    request = call.request
    limits.unsupported(request, "Test", "AnswerKey", "TestDurationInSeconds", "RetryDelayInSeconds")
    if request.get("AutoGranted"):
        limits.unsupported(request, "AutoGranted")
    name = limits.text(request, "Name", 200, least=1)
    try:
        with transaction.atomic():
            row = QualificationType.objects.create(
                requester=call.requester,
                name=name,
                description=limits.text(request, "Description", 2000, least=1),
                keywords=limits.text(request, "Keywords", 1000),
                active=request["QualificationTypeStatus"] == "Active",
                created_at=call.now,
            )
    except IntegrityError:
        raise RequestError(
            "QualificationTypeAlreadyExists", f"You have already created a QualificationType named {name}."
        ) from None
    return {"QualificationType": descriptions.qualification_type(row)}


def get_qualification_type(call: Call) -> dict[str, Any]:
    """GetQualificationType: own ones, and those of the system."""
    type_id = call.request["QualificationTypeId"]
    if type_id in qualifying.SYSTEM_NAMES:
        return {"QualificationType": _system_type(type_id)}
    return {"QualificationType": descriptions.qualification_type(_find(call))}


def _system_type(type_id: str) -> dict[str, Any]:
    name = qualifying.SYSTEM_NAMES[type_id]
    return {
        "QualificationTypeId": type_id,
        "CreationTime": _SYSTEM_SINCE,
        "Name": name,
        "Description": f"Kept by the marketplace: {name}.",
        "QualificationTypeStatus": "Active",
        "IsRequestable": False,
    }


def list_qualification_types(call: Call) -> dict[str, Any]:
    """ListQualificationTypes: own ones, or every active one; Query looks into names and descriptions."""
    rows = QualificationType.objects.filter(Q(active=True) | Q(requester=call.requester))
    if call.request.get("MustBeOwnedByCaller"):
        rows = rows.filter(requester=call.requester)
    if call.request["MustBeRequestable"]:
        rows = rows.filter(active=True)
    for word in call.request.get("Query", "").split():
        rows = rows.filter(
            Q(name__icontains=word) | Q(description__icontains=word) | Q(keywords__icontains=word)
        )
    found = page(rows, call, of="qualification types")
    return found.answer("QualificationTypes", [descriptions.qualification_type(row) for row in found.rows])


def associate_qualification_with_worker(call: Call) -> dict[str, Any]:
    """AssociateQualificationWithWorker: repeats overwrite the score; by default the worker is told."""
    kind = _find(call)
    if not kind.active:
        raise RequestError("InvalidQualificationTypeState", f"QualificationType {kind.type_id} is inactive.")
    worker = find_worker(call)
    values = {"value": call.request.get("IntegerValue", 1), "granted": True, "granted_at": call.now}
    with transaction.atomic():
        Qualification.objects.update_or_create(qualification_type=kind, worker=worker, defaults=values)
        if call.request.get("SendNotification", True):
            WorkerMessage.objects.create(
                worker=worker,
                requester=call.requester,
                subject=f"You have been granted the qualification {kind.name}"[:200],
                text=kind.description,
                sent_at=call.now,
            )
    return {}


def disassociate_qualification_from_worker(call: Call) -> dict[str, Any]:
    """DisassociateQualificationFromWorker: revokes it; the score is kept as revoked."""
    kind, worker = _find(call), find_worker(call)
    granted = Qualification.objects.filter(qualification_type=kind, worker=worker, granted=True)
    if not granted.update(granted=False):
        raise _not_granted(call)
    return {}


def get_qualification_score(call: Call) -> dict[str, Any]:
    """GetQualificationScore: granted or revoked."""
    kind, worker = _find(call), find_worker(call)
    rows = kind.qualifications.select_related("qualification_type", "worker")
    row = rows.filter(worker=worker).first()
    if row is None:
        raise _not_granted(call)
    return {"Qualification": descriptions.qualification(row)}


def list_workers_with_qualification_type(call: Call) -> dict[str, Any]:
    """ListWorkersWithQualificationType: granted unless Revoked is asked for."""
    kind = _find(call)
    status = call.request.get("Status", "Granted")
    rows = kind.qualifications.filter(granted=status == "Granted")
    found = page(
        rows.select_related("qualification_type", "worker"), call, of=f"qualified {kind.pk} {status}"
    )
    return found.answer("Qualifications", [descriptions.qualification(row) for row in found.rows])


def _find(call: Call) -> QualificationType:
    type_id = call.request["QualificationTypeId"]
    row = QualificationType.objects.filter(requester=call.requester, type_id=type_id).first()
    if row is None:
        raise RequestError("QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist.")
    return row


def _not_granted(call: Call) -> RequestError:
    return RequestError(
        "QualificationDoesNotExist",
        f"Worker {call.request['WorkerId']} has no score in QualificationType "
        f"{call.request['QualificationTypeId']}.",
    )
