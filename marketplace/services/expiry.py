"""Apply deadlines: free abandoned places, approve submissions that nobody reviewed, and expire HITs.

The scheduler does this at short intervals. Calls and the workers' pages about tasks and earnings also do it first, so
that responses are right even if the scheduler is late. When nothing is due, this costs one query.
"""

from collections import Counter
from datetime import datetime

from django.db import connection, transaction
from django.db.models import QuerySet

from marketplace.models import Assignment, Departure, Hit
from marketplace.services import events, funds, hit_state, review

_BATCH = 200


def apply_due(now: datetime) -> int:
    """Apply every deadline up to ``now``; returns the number of changes."""
    if not _anything_due(now):
        return 0
    changed = 0
    for step in (_abandon_due, _approve_due, _expire_due):
        while True:
            try:
                done = step(now)
            except hit_state.LostRace:
                continue
            if not done:
                break
            changed += done
    return changed


def _anything_due(now: datetime) -> bool:
    """Return whether anything is due. Uses SQL, because this runs before every call and querysets take longer."""
    at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT EXISTS (SELECT 1 FROM marketplace_assignment WHERE status = 'Accepted' AND deadline <= %s)
                OR EXISTS (SELECT 1 FROM marketplace_assignment
                            WHERE status = 'Submitted' AND auto_approval_at <= %s)
                OR EXISTS (SELECT 1 FROM marketplace_hit WHERE NOT expiry_applied AND expires_at <= %s)
            """,
            [at, at, at],
        )
        return bool(cursor.fetchone()[0])


def _abandon_due(now: datetime) -> int:
    """Free one batch of places held past their deadline."""
    due = _batch(Assignment.objects.abandoned_at(now))
    if not due:
        return 0
    with transaction.atomic():
        held: Counter[int] = Counter()
        for assignment, hit in _with_locked_hits(due):
            if release_place(assignment, Departure.Kind.ABANDONED, at=assignment.deadline or now):
                events.emit("AssignmentAbandoned", hit, at=now, assignment=assignment)
                held[hit.requester_id] += hit_state.change_hit(
                    hit, now=now, by={"pending": -1, "available": 1}
                )
        _move_all_funds(held, Counter())
    return len(due)


def release_place(assignment: Assignment, kind: Departure.Kind, *, at: datetime) -> bool:
    """Take the place from its worker if it is still held, and return whether it was.

    The caller changes the HIT's counters.
    """
    held = Assignment.objects.held().filter(pk=assignment.pk, worker=assignment.worker_id)
    freed = held.filter(deadline=assignment.deadline).update(
        status=Assignment.Status.FREE, worker=None, accepted_at=None, deadline=None
    )
    if freed and assignment.worker_id and assignment.accepted_at:
        Departure.objects.create(
            assignment=assignment,
            worker_id=assignment.worker_id,
            kind=kind,
            accepted_at=assignment.accepted_at,
            left_at=at,
        )
    return bool(freed)


def _approve_due(now: datetime) -> int:
    """Approve one batch of submissions that nobody reviewed in time."""
    due = _batch(Assignment.objects.auto_approvable_at(now))
    if not due:
        return 0
    with transaction.atomic():
        held: Counter[int] = Counter()
        spent: Counter[int] = Counter()
        for assignment, hit in _with_locked_hits(due):
            at = assignment.auto_approval_at or now
            more = review.approve(assignment, hit, source=Assignment.Status.SUBMITTED, now=at)
            if more is not None:
                held[hit.requester_id] += more
                spent[hit.requester_id] += hit.unit_cost_cents
        _move_all_funds(held, spent)
    return len(due)


def _expire_due(now: datetime) -> int:
    """Close one batch of expired HITs, and release the money held for their open places."""
    due = list(Hit.objects.expiry_due(now).order_by("pk").values_list("pk", flat=True)[:_BATCH])
    if not due:
        return 0
    with transaction.atomic():
        held: Counter[int] = Counter()
        rows = Hit.objects.expiry_due(now).filter(pk__in=due).order_by("pk").select_related("hit_type")
        for hit in rows.select_for_update(of=("self",)):
            if hit.status == Hit.Status.DISPOSED:
                Hit.objects.filter(pk=hit.pk).update(expiry_applied=True)
            else:
                events.emit("HITExpired", hit, at=now)
                held[hit.requester_id] += hit_state.change_hit(hit, now=now, expired=True)
        _move_all_funds(held, Counter())
    return len(due)


def _batch(due: QuerySet[Assignment]) -> list[Assignment]:
    """Return a batch ordered by HIT, which is the order in which rows are locked, and then by assignment."""
    return list(due.order_by("hit_id", "pk")[:_BATCH])


def _with_locked_hits(due: list[Assignment]) -> list[tuple[Assignment, Hit]]:
    hits = {
        hit.pk: hit
        for hit in Hit.objects.filter(pk__in={assignment.hit_id for assignment in due})
        .order_by("pk")
        .select_related("hit_type")
        .select_for_update(of=("self",))
    }
    return [(assignment, hits[assignment.hit_id]) for assignment in due]


def _move_all_funds(held: Counter[int], spent: Counter[int]) -> None:
    for requester_id in sorted(held.keys() | spent.keys()):
        funds.move_funds(requester_id, held=held[requester_id], spent=spent[requester_id])
