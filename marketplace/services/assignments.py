"""Operations on assignments: list, get, approve, reject."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction

from marketplace.errors import RequestError
from marketplace.models import Assignment, Hit
from marketplace.services import descriptions, funds, hit_state, hits, limits, review
from marketplace.services.call import Call
from marketplace.services.paging import page

OVERRIDE_WITHIN = timedelta(days=30)


def list_assignments_for_hit(call: Call) -> dict[str, Any]:
    """ListAssignmentsForHIT: what was handed in, at any time."""
    hit = hits.find(call)
    statuses = sorted(set(call.request.get("AssignmentStatuses") or Assignment.HANDED_IN))
    rows = hit.assignments.filter(status__in=statuses).select_related("worker", "hit")
    found = page(rows, call, of=f"assignments {hit.pk} {'+'.join(statuses)}")
    return found.answer("Assignments", [descriptions.assignment(row) for row in found.rows])


def get_assignment(call: Call) -> dict[str, Any]:
    """GetAssignment: with its HIT."""
    row = find(call)
    if row.status not in Assignment.HANDED_IN:
        raise _wrong_state(row, "Submitted, Approved, Rejected")
    return {"Assignment": descriptions.assignment(row), "HIT": descriptions.hit(row.hit)}


def approve_assignment(call: Call) -> dict[str, Any]:
    """ApproveAssignment: pays; with OverrideRejection also what was rejected, for 30 days."""
    feedback = limits.text(call.request, "RequesterFeedback", 1024) or None
    row = find(call)
    source = Assignment.Status.SUBMITTED
    if row.status == Assignment.Status.REJECTED and call.request.get("OverrideRejection"):
        assert row.submitted_at is not None
        if row.submitted_at + OVERRIDE_WITHIN <= call.now:
            raise RequestError(
                "InvalidAssignmentState", "A rejection can be overridden within 30 days of submission only."
            )
        source = Assignment.Status.REJECTED
    with transaction.atomic():
        hit = hit_state.lock(row.hit_id)
        held = review.approve(row, hit, source=source, now=call.now, feedback=feedback)
        if held is None:
            raise _wrong_state(row, "Submitted")
        funds.settle(hit.requester_id, held=held, spent=hit.unit_cost_cents)
    return {}


def reject_assignment(call: Call) -> dict[str, Any]:
    """RejectAssignment: nothing is paid; the place is not offered again."""
    feedback = limits.text(call.request, "RequesterFeedback", 1024, least=1)
    row = find(call)
    with transaction.atomic():
        hit = hit_state.lock(row.hit_id)
        held = review.reject(row, hit, now=call.now, feedback=feedback)
        if held is None:
            raise _wrong_state(row, "Submitted")
        funds.settle(hit.requester_id, held=held)
    return {}


def get_file_upload_url(call: Call) -> dict[str, Any]:
    """GetFileUploadURL: questions that take files (FileUploadAnswer) are not offered, so no answer has one."""
    row = find(call)
    raise RequestError(
        "InvalidParameterValue",
        f"Assignment {row.assignment_id} has no uploaded file for the question "
        f"{call.request['QuestionIdentifier']!r}: this marketplace takes no files.",
    )


def find(call: Call) -> Assignment:
    """The assignment a call names, on one of the requester's HITs; raises AssignmentDoesNotExist."""
    assignment_id = call.request["AssignmentId"]
    row = (
        Assignment.objects.select_related("hit__hit_type", "worker")
        .filter(assignment_id=assignment_id, hit__requester=call.requester)
        .exclude(hit__status=Hit.Status.DISPOSED)
        .first()
    )
    if row is None:
        raise RequestError("AssignmentDoesNotExist", f"Assignment {assignment_id} does not exist.")
    return row


def _wrong_state(row: Assignment, allowed: str) -> RequestError:
    status = Assignment.objects.values_list("status", flat=True).get(pk=row.pk)
    return RequestError(
        "InvalidAssignmentState",
        f"This Assignment is currently in the state '{status}'.  "
        f"This operation can be called with a status of: {allowed}",
    )
