"""Workers request qualifications; requesters accept or reject the requests."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from marketplace.errors import QualificationRefused, RequestError
from marketplace.models import Qualification, QualificationRequest, QualificationType, Worker, WorkerBlock
from marketplace.protocol import limits
from marketplace.services import messages
from marketplace.services.call import Call
from marketplace.services.requester import descriptions, qualification_types, qualifications
from marketplace.services.requester.list_pages import page

_PENDING = QualificationRequest.State.PENDING


def request_qualification(worker: Worker, type_id: str, now: datetime) -> QualificationRequest:
    """Request a qualification for a worker. A type with AutoGranted grants it immediately.

    Raises QualificationRefused with reason ``unknown``, ``blocked``, ``held``, ``waiting``, ``once_only`` or
    ``too_soon``.
    """
    kind = QualificationType.objects.requestable().filter(type_id=type_id).first()
    if kind is None:
        raise QualificationRefused(
            "unknown", "You cannot request this qualification.", "Choose other tasks on the home page."
        )
    _check_may_ask(worker, kind, now)
    try:
        with transaction.atomic():
            row = QualificationRequest.objects.create(
                qualification_type=kind, worker=worker, submitted_at=now
            )
            if kind.auto_granted:
                _decide_if_pending(row, QualificationRequest.State.ACCEPTED, now)
                qualifications.grant_score(kind, worker, _auto_value(kind), now)
    except IntegrityError:
        raise _waiting_refusal() from None
    row.refresh_from_db()
    return row


def _auto_value(kind: QualificationType) -> int:
    return 1 if kind.auto_granted_value is None else kind.auto_granted_value


def _check_may_ask(worker: Worker, kind: QualificationType, now: datetime) -> None:
    if WorkerBlock.objects.filter(worker=worker, requester=kind.requester_id).exists():
        raise QualificationRefused(
            "blocked", "This requester no longer offers you tasks.", "Choose other tasks."
        )
    if Qualification.objects.filter(worker=worker, qualification_type=kind, granted=True).exists():
        raise QualificationRefused("held", "You already have this qualification.", "Go to the tasks.")
    last = worker.qualification_requests.filter(qualification_type=kind).order_by("-pk").first()
    if last is None:
        return
    if last.state == _PENDING:
        raise _waiting_refusal()
    if kind.retry_delay_seconds is None:
        raise QualificationRefused(
            "once_only",
            "You can request this qualification only once.",
            "Choose other tasks on the home page.",
        )
    if (until := last.submitted_at + timedelta(seconds=kind.retry_delay_seconds)) > now:
        raise QualificationRefused(
            "too_soon",
            "You requested this qualification recently.",
            f"You can request it again from {until:%-d %B %Y, %H:%M} UTC.",
        )


def _waiting_refusal() -> QualificationRefused:
    return QualificationRefused(
        "waiting", "You have already requested this qualification.", "The requester has not decided yet."
    )


def list_qualification_requests(call: Call) -> dict[str, Any]:
    """List the pending requests for one or all of the requester's qualification types."""
    rows = QualificationRequest.objects.filter(
        qualification_type__requester=call.requester, qualification_type__deleted_at=None, state=_PENDING
    ).select_related("qualification_type", "worker")
    of = "qualification requests"
    if "QualificationTypeId" in call.request:
        kind = qualification_types.qualification_type_of_call(call)
        rows, of = rows.filter(qualification_type=kind), f"qualification requests {kind.pk}"
    found = page(rows, call, of=of)
    described = [descriptions.qualification_request(row) for row in found.rows]
    return found.answer("QualificationRequests", described)


def accept_qualification_request(call: Call) -> dict[str, Any]:
    """Accept a request: grant the worker a score, 1 by default, and notify the worker."""
    row = _request_of_call(call)
    with transaction.atomic():
        if not _decide_if_pending(row, QualificationRequest.State.ACCEPTED, call.now):
            raise _not_pending(row)
        kind = row.qualification_type
        qualifications.grant_score(kind, row.worker, call.request.get("IntegerValue", 1), call.now)
        subject = f"You have been granted the qualification {kind.name}"
        messages.message_workers([row.worker], call.requester, subject, kind.description, call.now)
    return {}


def reject_qualification_request(call: Call) -> dict[str, Any]:
    """Reject a request, and notify the worker of the reason, if there is one."""
    reason = limits.text(call.request, "Reason", 1024)
    row = _request_of_call(call)
    with transaction.atomic():
        if not _decide_if_pending(row, QualificationRequest.State.REJECTED, call.now, reason):
            raise _not_pending(row)
        subject = f"Your request for the qualification {row.qualification_type.name} was declined"
        messages.message_workers(
            [row.worker], call.requester, subject, reason or "No reason was given.", call.now
        )
    return {}


def _decide_if_pending(
    row: QualificationRequest, state: QualificationRequest.State, now: datetime, reason: str = ""
) -> bool:
    """Decide the request if it is still pending, and return whether it was."""
    pending = QualificationRequest.objects.filter(pk=row.pk, state=_PENDING)
    return bool(pending.update(state=state, decided_at=now, reason=reason))


def _request_of_call(call: Call) -> QualificationRequest:
    request_id = call.request["QualificationRequestId"]
    rows = QualificationRequest.objects.select_related("qualification_type", "worker")
    row = rows.filter(request_id=request_id[:64], qualification_type__requester=call.requester).first()
    if row is None:
        raise RequestError(
            "QualificationRequestDoesNotExist", f"QualificationRequest {request_id} does not exist."
        )
    return row


def _not_pending(row: QualificationRequest) -> RequestError:
    return RequestError(
        "InvalidQualificationRequestState",
        f"QualificationRequest {row.request_id} has already been decided.",
    )
