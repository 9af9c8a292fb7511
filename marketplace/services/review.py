"""Approve and reject submitted assignments. Requesters' calls do both; deadlines only approve."""

from datetime import datetime
from typing import Any

from django.db.models import F

from marketplace.models import Assignment, Hit, LedgerEntry, Worker
from marketplace.services import events, hit_state


def approve(
    assignment: Assignment, hit: Hit, *, source: Assignment.Status, now: datetime, feedback: str | None = None
) -> int | None:
    """Approve the assignment if it still has status ``source``; otherwise return None.

    Pays the worker, and returns the additional cents to reserve (negative to release). The caller passes them, and
    the HIT's unit cost as the amount spent, to ``funds.move_funds``.
    """
    fields: dict[str, Any] = {"status": Assignment.Status.APPROVED, "approved_at": now, "rejected_at": None}
    if feedback is not None:
        fields["feedback"] = feedback
    if not Assignment.objects.filter(pk=assignment.pk, status=source).update(**fields):
        return None
    overridden = source == Assignment.Status.REJECTED
    counter = "rejected" if overridden else "submitted"
    held = hit_state.change_hit(hit, now=now, by={"approved": 1, counter: -1})
    events.emit("AssignmentApproved", hit, at=now, assignment=assignment)
    reward = hit.hit_type.reward_cents
    worker_id = _worker_of(assignment)
    Worker.objects.filter(pk=worker_id).update(
        approved_count=F("approved_count") + 1,
        rejected_count=F("rejected_count") - (1 if overridden else 0),
        earned_cents=F("earned_cents") + reward,
    )
    LedgerEntry.objects.create(
        requester_id=hit.requester_id,
        kind=LedgerEntry.Kind.REWARD,
        amount_cents=-reward,
        fee_cents=reward - hit.unit_cost_cents,
        worker_id=worker_id,
        assignment=assignment,
        made_at=now,
    )
    return held


def record_rejection(assignment: Assignment, hit: Hit, *, now: datetime, feedback: str) -> int | None:
    """Reject the assignment if it is still in review; otherwise return None. Nothing is paid.

    Returns the additional cents to reserve (negative to release).
    """
    waiting = Assignment.objects.filter(pk=assignment.pk, status=Assignment.Status.SUBMITTED)
    if not waiting.update(status=Assignment.Status.REJECTED, rejected_at=now, feedback=feedback):
        return None
    held = hit_state.change_hit(hit, now=now, by={"submitted": -1, "rejected": 1})
    events.emit("AssignmentRejected", hit, at=now, assignment=assignment)
    worker_id = _worker_of(assignment)
    Worker.objects.filter(pk=worker_id).update(rejected_count=F("rejected_count") + 1)
    return held


def _worker_of(assignment: Assignment) -> int:
    assert assignment.worker_id is not None  # only a free place has no worker
    return assignment.worker_id
