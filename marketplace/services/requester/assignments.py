from datetime import timedelta
from typing import Any

from django.db import transaction

from marketplace.errors import RequestError
from marketplace.models import Assignment, Departure, Hit
from marketplace.protocol import limits
from marketplace.services import funds, hit_state, review
from marketplace.services.call import Call
from marketplace.services.requester import descriptions, hits
from marketplace.services.requester.list_pages import page

OVERRIDE_WITHIN = timedelta(days=30)


def list_assignments_for_hit(call: Call) -> dict[str, Any]:
    """List the submitted assignments of a HIT, even while it is open."""
    hit = hits.hit_of_call(call)
    statuses = sorted(set(call.request.get("AssignmentStatuses") or Assignment.HANDED_IN))
    rows = hit.assignments.filter(status__in=statuses).select_related("worker", "hit")
    found = page(rows, call, of=f"assignments {hit.pk} {'+'.join(statuses)}")
    return found.answer("Assignments", [descriptions.assignment(row) for row in found.rows])


def get_assignment(call: Call) -> dict[str, Any]:
    """Describe a submitted assignment and its HIT.

    Unlike on MTurk, the error for a returned assignment states the time of the return: in its message for people, and
    in the header ``X-Returned-At`` for programs.
    """
    row = assignment_of_call(call)
    if row.status not in Assignment.HANDED_IN:
        left = row.departures.filter(kind=Departure.Kind.RETURNED).order_by("-pk").first()
        at = left.left_at.isoformat() if left else ""
        error = _wrong_state(
            row, f"Submitted, Approved, Rejected.{f'  It was returned at {at}.' if at else ''}"
        )
        error.headers |= {"X-Returned-At": at} if at else {}
        raise error
    return {"Assignment": descriptions.assignment(row), "HIT": descriptions.hit(row.hit)}


def approve_assignment(call: Call) -> dict[str, Any]:
    """Approve a submitted assignment and pay the reward.

    With OverrideRejection, a rejected assignment can be approved within 30 days of its submission.
    """
    feedback = limits.text(call.request, "RequesterFeedback", 1024) or None
    row = assignment_of_call(call)
    source = Assignment.Status.SUBMITTED
    if row.status == Assignment.Status.REJECTED and call.request.get("OverrideRejection"):
        assert row.submitted_at is not None
        if row.submitted_at + OVERRIDE_WITHIN <= call.now:
            raise RequestError(
                "InvalidAssignmentState", "A rejection can only be overridden within 30 days of submission."
            )
        source = Assignment.Status.REJECTED
    with transaction.atomic():
        hit = hit_state.lock(row.hit_id)
        held = review.approve(row, hit, source=source, now=call.now, feedback=feedback)
        if held is None:
            raise _wrong_state(row, "Submitted")
        funds.move_funds(hit.requester_id, held=held, spent=hit.unit_cost_cents)
    return {}


def reject_assignment(call: Call) -> dict[str, Any]:
    """Reject a submitted assignment. Nothing is paid, and the place is not offered again."""
    feedback = limits.text(call.request, "RequesterFeedback", 1024, least=1)
    row = assignment_of_call(call)
    with transaction.atomic():
        hit = hit_state.lock(row.hit_id)
        held = review.record_rejection(row, hit, now=call.now, feedback=feedback)
        if held is None:
            raise _wrong_state(row, "Submitted")
        funds.move_funds(hit.requester_id, held=held)
    return {}


def get_file_upload_url(call: Call) -> dict[str, Any]:
    """Refuse the call, because no question of this marketplace accepts files (FileUploadAnswer)."""
    row = assignment_of_call(call)
    raise RequestError(
        "InvalidParameterValue",
        f"Assignment {row.assignment_id} has no uploaded file for the question "
        f"{call.request['QuestionIdentifier']!r}: this marketplace does not accept files.",
    )


def assignment_of_call(call: Call) -> Assignment:
    """Return the assignment that a call names. Raises AssignmentDoesNotExist if no HIT of the requester has it."""
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
