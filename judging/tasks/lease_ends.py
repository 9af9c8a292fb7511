"""End a worker's hold on a task that was returned, ran out of time or was taken away.

Others can then take the task. A transaction that ends several submissions locks them in the order of their keys. It
locks each submission before its task. So two transactions cannot wait for each other.
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
    """End a submission, set it to this state, and free its task and pairs; return whether it was ended.

    A submission that is already over, or whose state has changed since it was read, is not ended. For example, if it
    has been submitted, its work would otherwise be lost and unpaid.
    """
    if submission.state not in Submission.LIVE:
        return False
    ended = Submission.objects.filter(pk=submission.pk, state=submission.state).update(state=state)
    if ended:
        free_task(submission)
        free_slots(Submission.objects.filter(pk=submission.pk))
    return bool(ended)


def lock_in_order(submissions: QuerySet[Submission]) -> None:
    """Lock these submissions in the order of their keys. Call it before changing any of them."""
    list(submissions.order_by("pk").select_for_update(no_key=True, of=("self",)).values_list("pk"))


def clear_place(submission: Submission) -> None:
    """End the held submissions at the place of this one, and free the tasks of finished ones.

    The crowd has confirmed this submission, and accepts only one per place. Call :func:`lock_in_order` for all
    submissions at the place first.
    """
    others = Submission.objects.filter(place=submission.place_id).exclude(pk=submission.pk)
    for other in others.filter(state=Submission.State.HELD).exclude(place=None):
        end_submission(other, Submission.State.RETURNED)
    for other in others.filter(state=Submission.State.FINISHED, held_task__state=Task.State.HELD):
        free_task(other)  # the submission stays finished, because its worker has a receipt


def free_task(submission: Submission) -> None:
    """Free the task that the submission holds, if any."""
    Task.objects.filter(holder=submission, state=Task.State.HELD).free()


def free_lapsed(campaign: Campaign) -> int:
    """End the campaign's submissions that ran out of time, and free their tasks. Safe to repeat.

    Return their number, without submitted work that had already lost its task.
    If pairs were judged by our deadline, the work is submitted instead. Work that was submitted on our page is ended
    if the crowd does not list it by the crowd's deadline plus a grace period. If the crowd lists it even later, it
    counts if its task is still waiting, and is surplus if somebody else has taken the task.
    """
    now = clock.now()
    live = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    held = live.filter(state=Submission.State.HELD, ends_at__lte=now - PAGE_GRACE)
    empty = [
        submission for submission in held.select_related("worker")[:500] if not send_off_saved(submission)
    ]
    # If the crowd signed the arrival, the collection first has time to keep saved work (intake/kept_work.py).
    sent_off = live.filter(state=Submission.State.FINISHED)
    sent_off = sent_off.filter(Q(taken_at=None) | Q(crowd_ends_at__lte=now - 2 * GRACE))
    finished = sent_off.filter(held_task__leased_until__lte=now - GRACE)
    # A submission that lost its task, such as by an exclusion, has no lease that expires, so its own deadline counts.
    without = sent_off.filter(held_task=None, crowd_ends_at__lte=now - GRACE)
    for submission in without[:500]:
        end_submission(submission, Submission.State.LAPSED)
    return sum(
        end_submission(submission, Submission.State.LAPSED) for submission in [*empty, *finished[:500]]
    )
