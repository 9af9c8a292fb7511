"""Late binding: which task a worker gets, and when what the worker is shown is drawn.

A place is anonymous. When a worker first opens it, the next task that this worker may judge is leased to
(assignment, worker) by a conditional update. Its pairs and gold pairs are drawn when the worker agrees to the task:
until then anybody could have opened the address. Unique constraints on slots hold "no worker sees a pair twice",
whatever races.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from config import clock
from judging.deadlines import GRACE, PAGE_GRACE, deadlines, offered_seconds
from judging.layout import submission_seed
from judging.models import Campaign, Place, Submission, Task, TaskPair, Worker
from judging.services.displacing import displace_weakest, make_room
from judging.services.gold_drawing import fitting, new_gold_is_left
from judging.services.resuming import copy_choices, resumable, take_up_again
from judging.services.running_out import send_off_saved
from judging.services.slots import fill_slots, give_back

#: So often a task is tried for before it is said that none is left: each time somebody else was faster.
TRIES = 20
#: So many waiting tasks are looked at together, and so many times, for one that fits the worker.
AT_ONCE, LOOKS = 20, 25


class _Taken(Exception):
    """Somebody else was faster."""


def lease_task(
    campaign: Campaign,
    worker: Worker,
    *,
    assignment_id: str,
    place: Place | None,
    taken_at: datetime | None = None,
) -> Submission | None:
    """The worker's submission for this assignment, with its task; None when no task is left for this worker.

    ``taken_at`` is when the worker took the assignment, where the crowd signed that. An assignment that passed to
    this worker from another one frees that one's task. Safe to race: who asks for the same assignment again gets
    the submission that is there.
    """
    known = Submission.objects.filter(assignment_id=assignment_id, worker=worker)
    _release_others(assignment_id, worker)
    if place is not None and taken_at is None:
        make_room(place)
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
        fits = partial(fitting, campaign, worker.pk, strictly=False)
        if place is None or not displace_weakest(campaign, place, _seen(worker), fits):
            return None
    return None


def _seen(worker: Worker) -> QuerySet[Any, Any]:
    """What names the tasks with a pair that this worker was shown, and may not be shown again."""
    return TaskPair.objects.filter(pair__slots__worker=worker, pair__slots__given_back=False).values(
        "task_id"
    )


def _next_task(campaign: Campaign, worker: Worker, *, signed: bool) -> int | None:
    """The first waiting task without a pair that this worker was ever shown, read off an index in order.

    Where the crowd ``signed`` who it is, a task that the worker returned half done comes first. Should there be none,
    or no gold for it that the worker never saw, one that this worker gave back without a choice. What the worker has
    seen is looked up once, not for each task that waits, so that taking a task costs the same however many wait.
    """
    live = [Submission.State.HELD, Submission.State.FINISHED]
    mine = TaskPair.objects.filter(task__submissions__worker=worker, task__submissions__state__in=live)
    waiting = Task.objects.filter(campaign=campaign, state=Task.State.WAITING)
    if signed:
        begun = waiting.filter(pk__in=resumable(campaign, worker).order_by().values("task_id"))
        if (task := _first(begun)) is not None:
            return task
    waiting = waiting.exclude(pk__in=TaskPair.objects.filter(pair__in=mine.values("pair")).values("task_id"))
    ever = TaskPair.objects.filter(pair__slots__worker=worker).values("task_id")
    allowed = waiting.exclude(pk__in=_seen(worker))
    wanted = [waiting.exclude(pk__in=ever), allowed]
    if not new_gold_is_left(campaign, worker.pk):
        wanted.insert(0, allowed.filter(pk__in=ever))
    for strictly in (True, False):
        for tasks in wanted:
            if (task := _first_that_fits(campaign, worker, tasks, strictly=strictly)) is not None:
                return task
    return None


def _first_that_fits(
    campaign: Campaign, worker: Worker, tasks: QuerySet[Task], *, strictly: bool
) -> int | None:
    """The first of these tasks that this worker can be given gold for, locked.

    A passage that the worker met under another question is avoided; one of a real pair (not ``strictly``) is met
    again rather than nothing judged.
    """
    last = 0
    for _ in range(LOOKS):
        keys = list(tasks.filter(number__gt=last).order_by("number").values_list("pk", "number")[:AT_ONCE])
        if not keys:
            return None
        last = keys[-1][1]
        found = fitting(campaign, worker.pk, [key for key, _ in keys], strictly=strictly)
        if found and (task := _first(tasks.filter(pk__in=found))) is not None:
            return task
    return None


def _first(fitting: QuerySet[Task]) -> int | None:
    """The first of these tasks, locked.

    Tasks that somebody is just taking are passed over (on PostgreSQL; on SQLite one takes at a time), and waited for
    when there are no others: whoever takes them may yet fail.
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
    limit, now = campaign.assignment_seconds, clock.now()
    offered = (place.posting.crowd_seconds or limit) if place else offered_seconds(limit)
    until = deadlines(opened=now, taken=taken_at, limit=limit, offered=offered)
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


def _hold(submission: Submission, task_id: int) -> bool:
    """Give the submission a task that waits; False when somebody was faster."""
    # What is sent off, or was judged when our deadline came, may reach the crowd until its own.
    until = submission.crowd_ends_at
    waiting = Task.objects.filter(pk=task_id, state=Task.State.WAITING)
    return bool(waiting.update(state=Task.State.HELD, holder=submission, leased_until=until))


def hand_out(submission: Submission) -> str:
    """Draw what the worker is shown, once the worker agreed; returns why that cannot be, or nothing.

    A task that went to somebody else meanwhile is exchanged for one that waits, if there is one. So is one with a
    pair that the worker saw in another window just now.
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
        return "" if gold >= submission.campaign.gold_per_task else "enough-tasks"
    return "no-task"


@transaction.atomic
def _exchange(submission: Submission) -> bool:
    """Give the submission another task, and its own one to others; False when none waits."""
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
    """The assignment is this worker's now: whoever had it before gave it back."""
    held = Submission.objects.filter(assignment_id=assignment_id, state=Submission.State.HELD)
    for submission in held.exclude(worker=worker):
        release(submission, Submission.State.RETURNED)


@transaction.atomic
def release(submission: Submission, state: str) -> bool:
    """End a submission that did not come in, and offer its task again.

    False when it was over already, or was sent off since it was read: then its work would be lost, unpaid.
    """
    if submission.state not in (Submission.State.HELD, Submission.State.FINISHED):
        return False
    ended = Submission.objects.filter(pk=submission.pk, state=submission.state).update(state=state)
    if ended:
        free_task(submission)
        give_back(Submission.objects.filter(pk=submission.pk))
    return bool(ended)


def clear_place(submission: Submission) -> None:
    """End what others hold at the place on which the crowd confirmed this submission: it takes in one only."""
    others = Submission.objects.filter(place=submission.place_id).exclude(pk=submission.pk)
    for other in others.filter(state=Submission.State.HELD).exclude(place=None):
        release(other, Submission.State.RETURNED)
    for other in others.filter(state=Submission.State.FINISHED, held_task__state=Task.State.HELD):
        free_task(other)  # it stays on record as sent off: its worker has a receipt


def free_task(submission: Submission) -> None:
    """Offer the task to others that the submission holds, if it does."""
    Task.objects.filter(holder=submission, state=Task.State.HELD).update(
        state=Task.State.WAITING, holder=None, leased_until=None
    )


def free_lapsed(campaign: Campaign) -> int:
    """End what ran out of time; returns how many tasks are free again. Safe to repeat.

    What was judged by our deadline is sent off as it is, should the page not have done so. What was sent off is given
    until the crowd's own deadline, and a grace: the crowd's list may name it a little later. Should it come in later
    still, it counts when its task still waits, and is surplus when another did the task.
    """
    now = clock.now()
    live = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    held = live.filter(state=Submission.State.HELD, ends_at__lte=now - PAGE_GRACE)
    empty = [
        submission for submission in held.select_related("worker")[:500] if not send_off_saved(submission)
    ]
    # Where the crowd signed who holds it, the collection keeps what is saved (services/keeping.py) before it lapses.
    sent_off = live.filter(state=Submission.State.FINISHED)
    sent_off = sent_off.filter(Q(taken_at=None) | Q(crowd_ends_at__lte=now - 2 * GRACE))
    finished = sent_off.filter(held_task__leased_until__lte=now - GRACE)
    # Whose task was taken away by an exclusion has no lease to run out, and would be at work for ever.
    without = sent_off.filter(held_task=None, crowd_ends_at__lte=now - GRACE)
    gone = list(without.values_list("pk", flat=True)[:500])
    Submission.objects.filter(pk__in=gone, state=Submission.State.FINISHED).update(
        state=Submission.State.LAPSED
    )
    give_back(Submission.objects.filter(pk__in=gone, state=Submission.State.LAPSED))
    return sum(release(submission, Submission.State.LAPSED) for submission in [*empty, *finished[:500]])
