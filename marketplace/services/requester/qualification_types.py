"""Operations on qualification types: create, describe, update, delete, search."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from marketplace.errors import ParameterValidationError, RequestError
from marketplace.models import Hit, HitType, QualificationRequest, QualificationType, RequiredQualification
from marketplace.protocol import limits, requirements as qualifying
from marketplace.services.call import Call
from marketplace.services.requester import descriptions
from marketplace.services.requester.list_pages import page

_SYSTEM_SINCE = datetime(2017, 1, 17, tzinfo=UTC)
_TEST = ("Test", "AnswerKey", "TestDurationInSeconds")
# Longest time that a deleted type keeps its name while HITs still require it.
NAME_KEPT = timedelta(hours=48)


def create_qualification_type(call: Call) -> dict[str, Any]:
    """Create a qualification type without a test. Its name must be unique among the requester's types."""
    request = call.request
    limits.unsupported(request, *_TEST)
    name = limits.text(request, "Name", 200, least=1)
    _check_name_is_free(call, name)
    try:
        with transaction.atomic():
            row = QualificationType.objects.create(
                requester=call.requester,
                name=name,
                description=limits.text(request, "Description", 2000, least=1),
                keywords=limits.text(request, "Keywords", 1000),
                active=request["QualificationTypeStatus"] == "Active",
                created_at=call.now,
                **_granting_values(request),
            )
    except IntegrityError:
        raise _name_taken(name) from None
    return {"QualificationType": descriptions.qualification_type(row)}


def _granting_values(request: dict[str, Any]) -> dict[str, Any]:
    """Return the model values for the request's members that control how qualifications are granted."""
    values: dict[str, Any] = {}
    if "RetryDelayInSeconds" in request:
        values["retry_delay_seconds"] = limits.number(request, "RetryDelayInSeconds", 0, 2**53)
    if "AutoGranted" in request:
        values["auto_granted"] = request["AutoGranted"]
    if "AutoGrantedValue" in request:
        values["auto_granted_value"] = request["AutoGrantedValue"]
    if request.get("AutoGranted") is not None and values["auto_granted"]:
        values.setdefault("auto_granted_value", 1)
    return values


def _check_name_is_free(call: Call, name: str) -> None:
    """Refuse the name of a type deleted in the last two days if HITs still require that type, as on MTurk.

    A unique constraint refuses the names of other types.
    """
    deleted = QualificationType.objects.filter(
        requester=call.requester, name=name, deleted_at__gt=call.now - NAME_KEPT
    )
    for type_id in deleted.values_list("type_id", flat=True):
        if _hits_asking_for(type_id).exclude(status=Hit.Status.DISPOSED).exists():
            raise _name_taken(name)


def _name_taken(name: str) -> RequestError:
    return RequestError(
        "QualificationTypeAlreadyExists", f"You have already created a QualificationType named {name}."
    )


def get_qualification_type(call: Call) -> dict[str, Any]:
    """Describe one of the requester's own qualification types, or a system type."""
    type_id = call.request["QualificationTypeId"]
    if type_id in qualifying.SYSTEM_NAMES:
        return {"QualificationType": _system_type(type_id)}
    return {"QualificationType": descriptions.qualification_type(qualification_type_of_call(call))}


def _system_type(type_id: str) -> dict[str, Any]:
    name = qualifying.SYSTEM_NAMES[type_id]
    return {
        "QualificationTypeId": type_id,
        "CreationTime": _SYSTEM_SINCE,
        "Name": name,
        "Description": f"Computed by the marketplace: {name}.",
        "QualificationTypeStatus": "Active",
        "IsRequestable": False,
    }


def list_qualification_types(call: Call) -> dict[str, Any]:
    """List the requester's own types and other requesters' active types, or only the requester's own.

    All words of Query must occur in the name, description or keywords.
    """
    rows = QualificationType.objects.known().filter(Q(active=True) | Q(requester=call.requester))
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


def update_qualification_type(call: Call) -> dict[str, Any]:
    """Update a type, except its name and keywords. A retry delay can be changed, but not removed."""
    request = call.request
    limits.unsupported(request, *_TEST)
    row = qualification_type_of_call(call)
    if "AutoGrantedValue" in request and not request.get("AutoGranted", row.auto_granted):
        raise ParameterValidationError(
            "AutoGrantedValue", request["AutoGrantedValue"], "AutoGranted must be true."
        )
    values = _granting_values(request)
    if "Description" in request:
        values["description"] = limits.text(request, "Description", 2000, least=1)
    if "QualificationTypeStatus" in request:
        values["active"] = request["QualificationTypeStatus"] == "Active"
    if values:
        QualificationType.objects.known().filter(pk=row.pk).update(**values)
    return {"QualificationType": descriptions.qualification_type(qualification_type_of_call(call))}


def delete_qualification_type(call: Call) -> dict[str, Any]:
    """Delete a qualification type and the HIT types that require it, and reject its pending requests.

    Existing HITs stay, and so do the scores that they require.
    """
    with transaction.atomic():
        row = qualification_type_of_call(call)
        deleted = QualificationType.objects.known().filter(pk=row.pk)
        if not deleted.update(deleted_at=call.now, active=False):
            raise _unknown_type(row.type_id)
        row.requests.filter(state=QualificationRequest.State.PENDING).update(
            state=QualificationRequest.State.REJECTED,
            decided_at=call.now,
            reason="The qualification no longer exists.",
        )
        asking = RequiredQualification.objects.filter(type_id=row.type_id).values("hit_type")
        HitType.objects.filter(pk__in=asking, deleted_at=None).update(deleted_at=call.now)
    return {}


def list_hits_for_qualification_type(call: Call) -> dict[str, Any]:
    """List the caller's HITs that require a qualification type, which can be a system type."""
    type_id = call.request["QualificationTypeId"]
    if type_id not in qualifying.SYSTEM_NAMES:
        known = QualificationType.objects.filter(requester=call.requester, type_id=type_id)
        if not known.exists():
            raise _unknown_type(type_id)
    rows = _hits_asking_for(type_id).filter(requester=call.requester)
    rows = rows.exclude(status=Hit.Status.DISPOSED).select_related("hit_type")
    found = page(rows, call, of=f"hits asking for {type_id}", newest_first=True)
    return found.answer("HITs", [descriptions.hit(hit) for hit in found.rows])


def _hits_asking_for(type_id: str) -> Any:
    asking = RequiredQualification.objects.filter(type_id=type_id).values("hit_type")
    return Hit.objects.filter(hit_type__in=asking)


def qualification_type_of_call(call: Call) -> QualificationType:
    """Return the requester's own type that a call names; raises QualificationTypeDoesNotExist."""
    type_id = call.request["QualificationTypeId"]
    row = QualificationType.objects.known().filter(requester=call.requester, type_id=type_id).first()
    if row is None:
        raise _unknown_type(type_id)
    return row


def _unknown_type(type_id: str) -> RequestError:
    return RequestError("QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist.")
