"""How a worker's hold on a task ends: returned, lapsed or displaced. The task is free for others then.

A transaction that ends several submissions locks them in the order of their keys, and each before its task, so that
two of them cannot wait for each other.
"""

from django.db import transaction
from django.db.models import Q, QuerySet

from config import clock
from judging.models import Campaign, Submission, Task
from judging.rules.deadlines import GRACE, PAGE_GRACE
from judging.tasks.slots import free_slots
from judging.tasks.time_left import send_off_saved


@transaction.atomic
def end_submission(submission: Submission, state: str) -> bool:
    """End work that was never submitted, and offer its task again.

    Return False if it is already over, or was submitted since it was read: its work would be lost and unpaid.
    """
    if submission.state not in Submission.LIVE:
        return False
    ended = Submission.objects.filter(pk=submission.pk, state=submission.state).update(state=state)
    if ended:
        free_task(submission)
        free_slots(Submission.objects.filter(pk=submission.pk))
    return bool(ended)


def lock_in_order(submissions: QuerySet[Submission]) -> None:
    """Lock these submissions in the order of their keys, before anything changes one of them."""
    list(submissions.order_by("pk").select_for_update(no_key=True, of=("self",)).values_list("pk"))


def clear_place(submission: Submission) -> None:
    """End others' submissions at this place, where the crowd confirmed this one: a place accepts only one.

    Call ``lock_in_order`` for all of them first.
    """
    others = Submission.objects.filter(place=submission.place_id).exclude(pk=submission.pk)
    for other in others.filter(state=Submission.State.HELD).exclude(place=None):
        end_submission(other, Submission.State.RETURNED)
    for other in others.filter(state=Submission.State.FINISHED, held_task__state=Task.State.HELD):
        free_task(other)  # it stays recorded as submitted: its worker has a receipt


def free_task(submission: Submission) -> None:
    """Free the task that the submission holds, if any."""
    Task.objects.filter(holder=submission, state=Task.State.HELD).free()


def free_lapsed(campaign: Campaign) -> int:
    """End submissions that ran out of time. Return the number of freed tasks. Safe to repeat.

    Pairs judged by our deadline are submitted now if the page did not do so. Submitted work has until the crowd's own
    deadline plus a grace period, because the crowd's list can be late. Work that comes in even later counts if its
    task still waits, and is surplus if somebody else did the task.
    """
    now = clock.now()
    live = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    held = live.filter(state=Submission.State.HELD, ends_at__lte=now - PAGE_GRACE)
    empty = [
        submission for submission in held.select_related("worker")[:500] if not send_off_saved(submission)
    ]
    # If the crowd signed the holder, the collection keeps saved work (intake/kept_work.py) before it lapses.
    sent_off = live.filter(state=Submission.State.FINISHED)
    sent_off = sent_off.filter(Q(taken_at=None) | Q(crowd_ends_at__lte=now - 2 * GRACE))
    finished = sent_off.filter(held_task__leased_until__lte=now - GRACE)
    # A submission whose task was taken away by an exclusion has no lease to expire, so it would stay held forever.
    without = sent_off.filter(held_task=None, crowd_ends_at__lte=now - GRACE)
    for submission in without[:500]:
        end_submission(submission, Submission.State.LAPSED)
    return sum(
        end_submission(submission, Submission.State.LAPSED) for submission in [*empty, *finished[:500]]
    )
