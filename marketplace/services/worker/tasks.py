"""Take, return and submit tasks."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F

from marketplace.errors import TaskRefused
from marketplace.models import Assignment, Departure, Hit, HitType, Worker
from marketplace.protocol.question import RESERVED, write_answers
from marketplace.services import events, expiry, funds, hit_state, review
from marketplace.services.worker import groups

_ATTEMPTS = 20


def take_task(worker: Worker, type_id: str, now: datetime) -> Assignment:
    """Give the worker a task of a group: the one already held, else the oldest with a free place.

    Raises TaskRefused with reason ``unknown_group``, ``blocked``, ``not_qualified``, ``too_many_held``,
    ``all_done`` or ``none_left``. If two workers want the last place of a HIT, only one update of its counters
    succeeds, and the other worker gets the next HIT.
    """
    expiry.apply_due(now)
    kind = groups.group_numbered(type_id)
    if mine := _held_of_group(worker, kind):
        return mine
    groups.check_allowed(worker, kind, "accept")
    for _ in range(_ATTEMPTS):
        try:
            with transaction.atomic():
                hit = _next_open_hit(worker, kind, now)
                if hit is None:
                    break
                # Locked after the HIT, as when a task is submitted, so that no two transactions wait for each other.
                Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
                return _held_of_group(worker, kind) or _fill_place(hit, worker, now)
        except (hit_state.LostRace, IntegrityError):
            continue  # another worker was faster, or this worker clicked twice
    raise groups.no_task_refusal(kind, now)


def _held_of_group(worker: Worker, kind: HitType) -> Assignment | None:
    """Return the task that the worker holds in this group, or None.

    If there is none, raises TaskRefused at the limit of held tasks.
    """
    held = Assignment.objects.held().filter(worker=worker)
    mine = held.filter(hit__hit_type=kind).order_by("pk").first()
    if mine is None and (full := groups.limit_refusal(held.count())):
        raise full
    return mine


def explain_not_held(worker: Worker, assignment_id: str) -> TaskRefused:
    """Return the refusal for a task that the worker returned, did not submit in time, or never took."""
    left = (
        Departure.objects.filter(worker=worker, assignment__assignment_id=assignment_id)
        .order_by("-pk")
        .first()
    )
    if left is None:
        return TaskRefused("not_held", "This task is not yours.", "Choose a task on the home page.")
    if left.kind == Departure.Kind.RETURNED:
        return TaskRefused(
            "returned",
            "You returned this task.",
            "A returned task pays nothing. If you submitted it on its page before, the requester can pay it as a "
            "bonus: check Done, or write to them.",
        )
    return TaskRefused(
        "too_late",
        "The time for this task ran out before it was submitted.",
        "If its page saved your work, the requester can pay it as a bonus: check Done, or write to them.",
    )


def _next_open_hit(worker: Worker, kind: HitType, now: datetime) -> Hit | None:
    """Return the group's oldest open HIT that the worker has not done, with its row locked.

    Rows that another transaction is taking are skipped, so that workers do not queue for one HIT. If all are being
    taken, wait for the first.
    """
    rows = Hit.objects.open_at(now).filter(hit_type=kind).undone_by(worker)
    rows = rows.select_related("hit_type").order_by("pk")
    hit = (
        rows.select_for_update(of=("self",), skip_locked=True).first()
        or rows.select_for_update(of=("self",)).first()
    )
    if hit is None and rows.exists():
        raise hit_state.LostRace  # the HIT was taken during the wait; there are others
    return hit


def _fill_place(hit: Hit, worker: Worker, now: datetime) -> Assignment:
    """Give the worker a place of the HIT, always under a new assignment id.

    MTurk reuses the id of a returned assignment. Many pages post only this id, so a page that the former holder left
    open could answer for the current holder.
    """
    hit_state.change_hit(hit, now=now, by={"available": -1, "pending": 1})
    until = now + timedelta(seconds=hit.hit_type.assignment_seconds)
    taken = Assignment.objects.create(
        hit=hit, worker=worker, status=Assignment.Status.ACCEPTED, accepted_at=now, deadline=until
    )
    events.emit("AssignmentAccepted", hit, at=now, assignment=taken)
    return taken


def return_task(worker: Worker, assignment_id: str, now: datetime) -> HitType:
    """Free a held task for others; returns its group. Raises TaskRefused ``not_held``."""
    expiry.apply_due(now)
    assignment = _held_assignment(worker, assignment_id)
    with transaction.atomic():
        hit = hit_state.lock(assignment.hit_id)
        if not expiry.release_place(assignment, Departure.Kind.RETURNED, at=now):
            raise _not_held_refusal()
        # If the HIT has expired, this releases the money reserved for the place.
        freed = hit_state.change_hit(hit, now=now, by={"pending": -1, "available": 1})
        events.emit("AssignmentReturned", hit, at=now, assignment=assignment)
        funds.move_funds(hit.requester_id, held=freed)
    return hit.hit_type


def hand_in(assignment_id: str, fields: Sequence[tuple[str, str]], now: datetime) -> bool:
    """Store the answer that a task's page posted; return False if the task was already submitted.

    ``fields`` are the form's fields, in order. Fields with reserved names are not stored. A ``workerId`` must be the
    holder's, so that a page that a former holder left open cannot answer for the current holder. Submitting twice
    changes nothing. Raises TaskRefused with reason ``malformed``, ``unknown``, ``not_held`` or ``too_late``.
    """
    answers = [(name, value) for name, value in fields if name not in RESERVED]
    if not assignment_id or not answers:
        raise TaskRefused(
            "malformed",
            "The task's page did not send an answer.",
            "Nothing was submitted. Tell the requester.",
        )
    expiry.apply_due(now)
    posted = dict(fields).get("workerId", "")
    # No id contains a NUL, and PostgreSQL cannot look one up.
    known = Assignment.objects.none() if "\0" in assignment_id + posted else Assignment.objects.all()
    assignment = known.select_related("worker").filter(assignment_id=assignment_id).first()
    if assignment is None:
        raise TaskRefused("unknown", "Task not found.", "Choose one on the home page.")
    if assignment.worker is None or (posted and posted != assignment.worker.worker_id):
        raise _lost_task_refusal(assignment, posted)
    if assignment.status in Assignment.HANDED_IN:
        return False
    return _store_answer(assignment, write_answers(answers), now)


def _store_answer(assignment: Assignment, answer: str, now: datetime) -> bool:
    assert assignment.worker_id is not None
    with transaction.atomic():
        hit = hit_state.lock(assignment.hit_id)
        held = Assignment.objects.held().filter(pk=assignment.pk, worker=assignment.worker_id)
        stored = held.filter(deadline__gt=now).update(
            status=Assignment.Status.SUBMITTED,
            answer=answer,
            submitted_at=now,
            auto_approval_at=now + timedelta(seconds=hit.hit_type.auto_approval_seconds),
        )
        if stored:
            events.emit("AssignmentSubmitted", hit, at=now, assignment=assignment)
            hit_state.change_hit(hit, now=now, by={"pending": -1, "submitted": 1})
            Worker.objects.filter(pk=assignment.worker_id).update(submitted_count=F("submitted_count") + 1)
            if hit.hit_type.auto_approval_seconds == 0:
                freed = review.approve(assignment, hit, source=Assignment.Status.SUBMITTED, now=now)
                assert freed is not None
                funds.move_funds(hit.requester_id, held=freed, spent=hit.unit_cost_cents)
    if stored:
        return True
    assignment.refresh_from_db()
    if assignment.status in Assignment.HANDED_IN:
        return False
    raise _lost_task_refusal(assignment, "")


def _lost_task_refusal(assignment: Assignment, worker_id: str) -> TaskRefused:
    left = assignment.departures.order_by("-pk")
    if worker_id:
        left = left.filter(worker__worker_id=worker_id)
    last = left.first()
    if last is not None and last.kind == Departure.Kind.ABANDONED:
        return TaskRefused(
            "too_late",
            "The time for this task has run out.",
            "Other workers can take it now. Take another task.",
        )
    return _not_held_refusal()


def _held_assignment(worker: Worker, assignment_id: str) -> Assignment:
    row = Assignment.objects.held().filter(worker=worker, assignment_id=assignment_id).first()
    if row is None:
        raise _not_held_refusal()
    return row


def _not_held_refusal() -> TaskRefused:
    return TaskRefused(
        "not_held",
        "This task is no longer yours.",
        "You returned it, or its time ran out. Take another task.",
    )
