"""Handle a task's time: submit the judged pairs when it runs out, and extend it once if the worker asks."""

from datetime import datetime

from django.db import transaction

from config import clock
from judging.models import Submission
from judging.rules.deadlines import Deadlines, extended
from judging.tasks.answers import record_answers


def send_off_saved(submission: Submission) -> bool:
    """Submit a held task whose time is over, with the pairs judged so far; return False if there are none.

    Safe to repeat. For a task that has already ended, returns False only if its state is ``LAPSED``.
    """
    with transaction.atomic():
        held = Submission.objects.select_for_update().filter(pk=submission.pk, state=Submission.State.HELD)
        if held.first() is None:
            submission.refresh_from_db()
            return submission.state != Submission.State.LAPSED
        if not submission.slots.exclude(choices=None).exists():
            return False
        now = clock.now()
        held.update(
            state=Submission.State.FINISHED,
            finished_at=now,
            timed_out_at=now,
            left_early=submission.slots.filter(choices=None).exists(),
        )
        submission.refresh_from_db()
        record_answers(submission)
    return True


def takes_late_choices(submission: Submission) -> bool:
    """Return whether the submission has run out of time but still accepts choices that a lost connection delayed."""
    ran_out = submission.state == Submission.State.FINISHED and submission.timed_out_at is not None
    return ran_out and submission.crowd_ends_at is not None and clock.now() < submission.crowd_ends_at


def record_late(submission: Submission) -> None:
    """Record the judgment or gold answer of a late choice. Call it in the transaction that saved the choice."""
    left = submission.slots.filter(choices=None).exists()
    Submission.objects.filter(pk=submission.pk).update(left_early=left)
    record_answers(submission)


def _longer(submission: Submission) -> datetime | None:
    """Return the later deadline that the worker can request, or None if there is none or it was already requested."""
    if not submission.ends_at or not submission.crowd_ends_at or submission.extended_at:
        return None
    known = Deadlines(submission.ends_at, submission.crowd_ends_at)
    return extended(known, submission.campaign.assignment_seconds)


def more_seconds(submission: Submission) -> int:
    """Return the number of extra seconds that the worker can still request, or 0."""
    longer = _longer(submission)
    return int((longer - submission.ends_at).total_seconds()) if longer and submission.ends_at else 0


def extend(submission: Submission) -> bool:
    """Extend the deadline of a held task, once. Returns False if that is no longer possible."""
    if (longer := _longer(submission)) is None:
        return False
    held = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD, extended_at=None)
    given = bool(held.update(ends_at=longer, extended_at=clock.now()))
    submission.refresh_from_db(fields=["ends_at", "extended_at", "state"])
    return given
