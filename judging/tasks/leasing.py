"""Late binding of tasks to workers, and the draw of their slots.

A place is anonymous. When a worker first opens it, the next task that this worker can judge is leased to (assignment,
worker) by a conditional update. Its pairs and gold pairs are drawn when the worker consents, since anybody could have
opened the address before. Unique constraints on slots guarantee that no worker sees a pair twice, even in races.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from config import clock
from judging.models import Campaign, Place, Submission, Task, TaskPair, Worker
from judging.rules.deadlines import GRACE, PAGE_GRACE, Deadlines, deadlines, offered_seconds
from judging.rules.layout import submission_seed
from judging.tasks.displacement import displace_weakest, make_room
from judging.tasks.resumption import copy_choices, resumable, take_up_again
from judging.tasks.slots import fill_slots, free_slots
from judging.tasks.time_left import send_off_saved
from judging.tasks.worker_memory import Past, fitting, past_of

#: Most attempts at leasing a task, each lost to a faster worker, before the page says that none is left.
TRIES = 20
#: Waiting tasks examined together for one that fits the worker, and the number of such batches.
AT_ONCE, LOOKS = 20, 25


class _Taken(Exception):
    """Another worker took the task first."""


def lease_task(
    campaign: Campaign,
    worker: Worker,
    *,
    assignment_id: str,
    place: Place | None,
    taken_at: datetime | None = None,
) -> Submission | None:
    """Return the worker's submission for this assignment, with its task, or None if no task is left for this worker.

    ``taken_at`` is when the worker took the assignment, if the crowd signed that. If the assignment passed to this
    worker from another, the other's task is freed. Safe to race: repeated calls for an assignment return the same
    submission.
    """
    known = Submission.objects.filter(assignment_id=assignment_id, worker=worker)
    _release_others(assignment_id, worker)
    if place is not None and taken_at is None:
        make_room(campaign, place)
    for _ in range(TRIES):
        try:
            if submission := _take_next(campaign, worker, assignment_id, place, taken_at):
                return submission
        except _Taken:
            continue
        except IntegrityError:
            if submission := known.first():
                return submission
            continue
        if free_lapsed(campaign):
            continue
        fits = partial(fitting, past_of(campaign, worker.pk), strictly=False)
        if place is None or not displace_weakest(campaign, place, _seen(worker), fits):
            return None
    return None


def _seen(worker: Worker) -> QuerySet[Any, Any]:
    """Return a query for tasks with a pair that this worker was shown and must not see again."""
    return TaskPair.objects.filter(pair__slots__worker=worker, pair__slots__given_back=False).values(
        "task_id"
    )


def _next_task(campaign: Campaign, worker: Worker, *, signed: bool) -> int | None:
    """Find the first waiting task without a pair that this worker was ever shown, in the order of an index.

    If the crowd ``signed`` the arrival, a half-finished task that the worker returned comes first. If no unseen
    task or no unseen gold is left, use a task that this worker returned without a choice. The worker's history is
    read once, so the cost does not grow with the number of waiting tasks.
    """
    live = [Submission.State.HELD, Submission.State.FINISHED]
    mine = TaskPair.objects.filter(task__submissions__worker=worker, task__submissions__state__in=live)
    waiting = Task.objects.filter(campaign=campaign, state=Task.State.WAITING)
    if signed:
        begun = list(resumable(campaign, worker).values_list("task_id", flat=True))
        if begun and (task := _first(waiting.filter(pk__in=begun))) is not None:
            return task
    waiting = waiting.exclude(pk__in=TaskPair.objects.filter(pair__in=mine.values("pair")).values("task_id"))
    ever = TaskPair.objects.filter(pair__slots__worker=worker).values("task_id")
    allowed = waiting.exclude(pk__in=_seen(worker))
    wanted = [waiting.exclude(pk__in=ever), allowed]
    past = past_of(campaign, worker.pk)
    if not past.new_gold_is_left():
        wanted.insert(0, allowed.filter(pk__in=ever))
    for strictly in (True, False):
        for tasks in wanted:
            if (task := _first_that_fits(past, tasks, strictly=strictly)) is not None:
                return task
    return None


def _first_that_fits(past: Past, tasks: QuerySet[Task], *, strictly: bool) -> int | None:
    """Lock the first of these tasks that has gold pairs for this worker.

    Passages that the worker saw under another question are avoided. If not ``strictly``, those in real pairs are
    allowed, so that something gets judged.
    """
    last = 0
    for _ in range(LOOKS):
        keys = list(tasks.filter(number__gt=last).order_by("number").values_list("pk", "number")[:AT_ONCE])
        if not keys:
            return None
        last = keys[-1][1]
        found = fitting(past, [key for key, _ in keys], strictly=strictly)
        if found and (task := _first(tasks.filter(pk__in=found))) is not None:
            return task
    return None


def _first(fitting: QuerySet[Task]) -> int | None:
    """Lock the first of these tasks.

    On PostgreSQL, tasks that somebody is taking are skipped, and waited for only if there are no others, because
    that attempt may fail. On SQLite, one worker takes a task at a time.
    """
    keys = fitting.order_by("number").values_list("pk", flat=True)
    free: int | None = keys.select_for_update(skip_locked=True).first()
    return free if free is not None else keys.select_for_update().first()


@transaction.atomic
def _take_next(
    campaign: Campaign, worker: Worker, assignment_id: str, place: Place | None, taken_at: datetime | None
) -> Submission | None:
    task_id = _next_task(campaign, worker, signed=taken_at is not None)
    if task_id is None:
        return None
    now = clock.now()
    until = deadlines_from(now, campaign, place, taken_at)
    submission = Submission.objects.create(
        campaign=campaign,
        place=place,
        worker=worker,
        task_id=task_id,
        assignment_id=assignment_id,
        seed=0,
        opened_at=now,
        taken_at=taken_at,
        ends_at=until.ours,
        crowd_ends_at=until.crowd,
    )
    submission.seed = submission_seed(campaign.seed, submission.pk)
    submission.save(update_fields=["seed"])
    if not _hold(submission, task_id):
        raise _Taken
    return submission


def deadlines_from(
    opened: datetime, campaign: Campaign, place: Place | None, taken_at: datetime | None
) -> Deadlines:
    """Calculate the deadlines of a task opened at this time and place."""
    limit = campaign.assignment_seconds
    offered = (place.posting.crowd_seconds or limit) if place else offered_seconds(limit)
    return deadlines(opened=opened, taken=taken_at, limit=limit, offered=offered)


def _hold(submission: Submission, task_id: int) -> bool:
    """Give the submission a waiting task. Return False if another worker took it first."""
    # Work that was submitted here, or judged by our deadline, can reach the crowd until the crowd's deadline.
    until = submission.crowd_ends_at
    waiting = Task.objects.filter(pk=task_id, state=Task.State.WAITING)
    return bool(waiting.update(state=Task.State.HELD, holder=submission, leased_until=until))


def hand_out(submission: Submission) -> str:
    """Draw the worker's slots after consent. Return the reason for a refusal, or an empty string.

    A task that meanwhile went to somebody else is exchanged for a waiting one, if there is one. So is a task with
    a pair that the worker just saw in another window.
    """
    if not Task.objects.filter(holder=submission).exists():
        _exchange(submission)
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                earlier = take_up_again(submission)
                gold = fill_slots(submission, np.random.default_rng(submission.seed))
                if earlier:
                    copy_choices(earlier, submission)
        except IntegrityError:
            if not _exchange(submission):
                return "no-task"
            continue
        return "" if gold >= submission.campaign.gold_per_task else "nothing-new"
    return "no-task"


@transaction.atomic
def _exchange(submission: Submission) -> bool:
    """Exchange the submission's task for another and free its own. Return False if none waits."""
    signed = submission.taken_at is not None
    task_id = _next_task(submission.campaign, submission.worker, signed=signed)
    if task_id is None:
        return False
    free_task(submission)
    if _hold(submission, task_id):
        Submission.objects.filter(pk=submission.pk).update(task=task_id)
        submission.task_id = task_id
    return submission.task_id == task_id


def _release_others(assignment_id: str, worker: Worker) -> None:
    """Record that this worker now has the assignment, so its previous holder returned it."""
    held = Submission.objects.filter(assignment_id=assignment_id, state=Submission.State.HELD)
    for submission in held.exclude(worker=worker):
        end_submission(submission, Submission.State.RETURNED)


@transaction.atomic
def end_submission(submission: Submission, state: str) -> bool:
    """End a submission that was never submitted, and offer its task again.

    Return False if it is already over, or was submitted since it was read: its work would be lost and unpaid.
    """
    if submission.state not in (Submission.State.HELD, Submission.State.FINISHED):
        return False
    ended = Submission.objects.filter(pk=submission.pk, state=submission.state).update(state=state)
    if ended:
        free_task(submission)
        free_slots(Submission.objects.filter(pk=submission.pk))
    return bool(ended)


def clear_place(submission: Submission) -> None:
    """End what others hold at this place, where the crowd confirmed this submission: a place accepts only one."""
    others = Submission.objects.filter(place=submission.place_id).exclude(pk=submission.pk)
    for other in others.filter(state=Submission.State.HELD).exclude(place=None):
        end_submission(other, Submission.State.RETURNED)
    for other in others.filter(state=Submission.State.FINISHED, held_task__state=Task.State.HELD):
        free_task(other)  # it stays recorded as submitted: its worker has a receipt


def free_task(submission: Submission) -> None:
    """Free the task that the submission holds, if any."""
    Task.objects.filter(holder=submission, state=Task.State.HELD).update(
        state=Task.State.WAITING, holder=None, leased_until=None
    )


def free_lapsed(campaign: Campaign) -> int:
    """End submissions that ran out of time. Return the number of freed tasks. Safe to repeat.

    Pairs judged by our deadline are submitted now if the page did not do so. Submitted work gets until the
    crowd's own deadline plus a grace period, because the crowd's list can be late. Work that comes in even later
    counts if its task still waits, and is surplus if somebody else did the task.
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
    gone = list(without.values_list("pk", flat=True)[:500])
    Submission.objects.filter(pk__in=gone, state=Submission.State.FINISHED).update(
        state=Submission.State.LAPSED
    )
    free_slots(Submission.objects.filter(pk__in=gone, state=Submission.State.LAPSED))
    return sum(
        end_submission(submission, Submission.State.LAPSED) for submission in [*empty, *finished[:500]]
    )
