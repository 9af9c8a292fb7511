"""Lease tasks to workers when they arrive, and draw the slots of a task when its worker consents.

A place is not tied to a task. When a worker first opens it, the next task that this worker can judge is leased to the
assignment and worker by a conditional update. Pairs and gold pairs are drawn only after consent, since anybody could
have opened the link before. Unique constraints on slots guarantee that no worker sees a pair twice, even in races.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from config import clock
from config.prepared_queries import Prepared, PreparedUpdate
from judging.errors import WorkRefused
from judging.models import Campaign, Place, Submission, Task, TaskPair, Worker
from judging.rules.deadlines import Deadlines, deadlines, offered_seconds
from judging.rules.layout import submission_seed
from judging.tasks.displacement import displace_weakest, make_room
from judging.tasks.lease_ends import end_submission, free_lapsed, free_task
from judging.tasks.resumption import copy_choices, resumable, take_up_again
from judging.tasks.slots import fill_slots, task_pairs
from judging.tasks.worker_memory import AT_ONCE, Past, candidates, first_waiting, fitting, past_of
from judging.workers.identities import Newcomer, known_worker

#: The maximum number of attempts at leasing a task if other workers take the tasks first.
TRIES = 20
#: The maximum number of batches of waiting tasks to examine for one that fits the worker.
LOOKS = 25
#: The seconds to wait while others are taking all tasks that fit, and the maximum number of attempts in a transaction
#: that keeps the worker's submission locked.
PAUSE, PAUSES_IN_TRANSACTION = 0.05, 5


class _Taken(Exception):
    """Raised if another worker took the task first."""


class _BeingTaken(_Taken):
    """Raised if other workers are taking all tasks that fit. A retry makes sense, since one of them may fail."""


@dataclass(frozen=True)
class Taking:
    """A worker's arrival with an assignment that needs a task. ``taken_at`` is None if the crowd did not sign it."""

    campaign: Campaign
    who: Worker | Newcomer
    assignment_id: str
    place: Place | None
    taken_at: datetime | None
    past: Past
    resumes: bool
    """Whether the worker may have returned a half-finished task that can be continued."""
    held: Sequence[int]
    """Tasks that the worker holds. Their pairs may not have been drawn yet."""


def lease_task(
    campaign: Campaign,
    who: Worker | Newcomer,
    *,
    assignment_id: str,
    place: Place | None,
    taken_at: datetime | None = None,
    past: Past | None = None,
    resumes: bool = True,
    held: Sequence[int] | None = None,
) -> Submission | None:
    """Lease a task for this assignment; return the worker's submission, or None if no task is left for this worker.

    ``taken_at`` is the time at which the worker took the assignment, if the crowd signed it. If another worker had
    the assignment before or, for a signed arrival, the place, that worker's task is freed. Safe to call concurrently:
    all calls for an assignment and worker return the same submission. Raises WorkRefused if the place has since gone
    to somebody else, or if others are taking all tasks that fit.

    ``past``, ``resumes`` and ``held`` (:class:`Taking`) are read here unless the caller has already read them.
    """
    past = past or past_of(campaign, who.pk)
    resumes = resumes and taken_at is not None
    held = _tasks_held_by(who) if held is None else held
    taking = Taking(campaign, who, assignment_id, place, taken_at, past, resumes, held)
    being_taken = False
    for _ in range(TRIES):
        being_taken = False
        try:
            if submission := _take_next(taking):
                return submission
        except _BeingTaken:
            being_taken = True
            time.sleep(PAUSE)
            continue
        except _Taken:
            continue
        except IntegrityError:  # the same worker, or the same assignment, arrived twice at once
            taking = replace(taking, who=_stored_since(taking.who))
            known = Submission.objects.filter(assignment_id=assignment_id, worker=taking.who.pk)
            if taking.who.pk and (submission := known.first()):
                return submission
            continue
        if free_lapsed(campaign):
            continue
        if place is None or not displace_weakest(
            campaign, place, _tasks_with(taking.past.barred), partial(_fitting_tasks, taking.past)
        ):
            return None
    if being_taken:
        raise WorkRefused("not-ready")
    return None


def _stored_since(who: Worker | Newcomer) -> Worker | Newcomer:
    return who if isinstance(who, Worker) else known_worker(who.crowd, who.crowd_worker_id) or who


def _tasks_held_by(who: Worker | Newcomer) -> list[int]:
    held = Submission.objects.filter(worker=who.pk, state=Submission.State.HELD).exclude(task=None)
    return list(held.values_list("task_id", flat=True))


def _fitting_tasks(past: Past, tasks: list[int]) -> list[int]:
    return list(fitting(past, candidates(Task.objects.filter(pk__in=tasks)), strictly=False))


def _tasks_with(pairs: Collection[int]) -> QuerySet[Any, Any]:
    """Return a query for the tasks that have one of these pairs."""
    return TaskPair.objects.filter(pair__in=pairs).values("task_id")


def _next_task(taking: Taking) -> int | None:
    """Lock and return the task to lease, normally the first waiting one with only unseen pairs.

    If the crowd signed the arrival, a task that the worker returned half-finished comes first. Once unseen tasks or
    unseen gold pairs run out, a task that this worker returned without a choice is used. Returns None if no task
    fits. The worker's history is read once, so the cost does not grow with the number of waiting tasks.
    """
    past = taking.past
    waiting = Task.objects.filter(campaign=taking.campaign, state=Task.State.WAITING)
    if taking.resumes and isinstance(taking.who, Worker):
        begun = resumable(taking.campaign, taking.who).order_by("task__number")
        task, _ = _lock_first_waiting(begun.values_list("task_id", flat=True))
        if task is not None:
            return task
    if past.new_gold_is_left() and not taking.held:
        # Nearly always, one of the first tasks fits. The searches below would find the same task.
        unseen = [task for task in first_waiting(taking.campaign) if not task.keys & past.pairs]
        task, _ = _lock_first_waiting(fitting(past, unseen, strictly=True))
        if task is not None:
            return task
    if isinstance(taking.who, Newcomer):
        return _first_that_fits(past, waiting)
    if held := taking.held:
        mine = TaskPair.objects.filter(task__in=held).values("pair")
        waiting = waiting.exclude(pk__in=TaskPair.objects.filter(pair__in=mine).values("task_id"))
    allowed = waiting.exclude(pk__in=_tasks_with(past.barred))
    wanted = [waiting.exclude(pk__in=_tasks_with(past.pairs)), allowed]
    if not past.new_gold_is_left():
        wanted.insert(0, allowed.filter(pk__in=_tasks_with(past.pairs)))
    return _first_that_fits(past, *wanted)


def _first_that_fits(past: Past, *wanted: QuerySet[Task]) -> int | None:
    """Lock and return the first task in these sets, in order, that fits this worker; None if none fits.

    At first, tasks with a passage that the worker saw under another question are avoided. If no other fits, passages
    seen in real pairs are allowed. Raises _BeingTaken if others are taking all tasks that fit.
    """
    being_taken = False
    for strictly in (True, False):
        for tasks in wanted:
            last = 0
            for _ in range(LOOKS):
                some = candidates(tasks.filter(number__gt=last).order_by("number")[:AT_ONCE])
                task, found = _lock_first_waiting(fitting(past, some, strictly=strictly))
                if task is not None:
                    return task
                being_taken = being_taken or found
                if len(some) < AT_ONCE:
                    break
                last = some[-1].number
    if being_taken:
        raise _BeingTaken
    return None


def _lock_first_waiting(fitting: Iterable[int]) -> tuple[int | None, bool]:
    """Lock and return the first of these tasks that is still waiting and that nobody is taking, if there is one.

    Also returns whether ``fitting`` has any task. On PostgreSQL, this skips locked rows instead of waiting.
    Otherwise, two transactions that search in different orders could wait for each other. On SQLite, only one worker
    takes a task at a time.
    """
    task = None
    for task in fitting:
        if _LOCKED(task):
            return task, True
    return None, task is not None


_LOCKED = Prepared(
    lambda task: (
        Task.objects.filter(pk=task, state=Task.State.WAITING)
        .select_for_update(skip_locked=True)
        .values_list("pk", flat=True)
    )
)


def _end_former(taking: Taking) -> None:
    """End earlier holders' submissions for this assignment and, if the arrival is signed, this place.

    An earlier holder's finished submission stays on record, because its worker has a receipt. Its task is freed,
    because the crowd no longer accepts the work. Raises WorkRefused if the place has since gone to somebody else,
    which means that the worker used an old link.
    """
    since = taking.taken_at
    place = taking.place.pk if taking.place is not None and since else 0  # 0: a key that no row has
    others = _FORMER(taking.assignment_id, place, taking.who.pk or 0)
    if since and any(other.taken_at and other.taken_at > since for other in others):
        raise WorkRefused("returned")
    for other in others:
        if other.state == Submission.State.HELD:
            end_submission(other, Submission.State.RETURNED)
        elif since and other.state == Submission.State.FINISHED and other.taken_at and other.taken_at < since:
            free_task(other)


def _former(assignment_id: str, place: int, worker: int) -> QuerySet[Submission]:
    same = Q(assignment_id=assignment_id)
    here = Submission.objects.filter(same & Q(state=Submission.State.HELD) | ~same & Q(place=place))
    return here.exclude(same, worker=worker).order_by("pk")  # the order of locks: judging.tasks.lease_ends


_FORMER = Prepared(_former, words=(0,))


@transaction.atomic
def _take_next(taking: Taking) -> Submission | None:
    """Lease the next task to the worker and return the submission. Returns None, and changes nothing, if none fits.

    Raises _Taken if another worker took the task first.
    """
    _end_former(taking)
    if taking.place is not None and taking.taken_at is None:
        make_room(taking.campaign, taking.place)
    task_id = _next_task(taking)
    if task_id is None:
        transaction.set_rollback(True)
        return None
    worker = taking.who.store() if isinstance(taking.who, Newcomer) else taking.who
    now = clock.now()
    until = deadlines_from(now, taking.campaign, taking.place, taking.taken_at)
    submission = Submission.objects.create(
        campaign=taking.campaign,
        place=taking.place,
        worker=worker,
        task_id=task_id,
        assignment_id=taking.assignment_id,
        seed=submission_seed(taking.campaign.seed, f"{taking.assignment_id} {worker.pk}"),
        opened_at=now,
        taken_at=taking.taken_at,
        ends_at=until.ours,
        crowd_ends_at=until.crowd,
    )
    if not _lease_waiting(submission, task_id):
        raise _Taken
    return submission


def deadlines_from(
    opened: datetime, campaign: Campaign, place: Place | None, taken_at: datetime | None
) -> Deadlines:
    """Calculate the deadlines of a task opened at ``opened``, from the time limit in the place's posting."""
    limit = campaign.assignment_seconds
    offered = (place.posting.crowd_seconds or limit) if place else offered_seconds(limit)
    return deadlines(opened=opened, taken=taken_at, limit=limit, offered=offered)


def _lease_waiting(submission: Submission, task_id: int) -> bool:
    """Make the submission the holder of a waiting task. Returns False if another worker took the task first."""
    # Work that was submitted here, or judged by our deadline, can reach the crowd until the crowd's deadline.
    until = submission.crowd_ends_at
    return bool(_LEASE(task_id, state=Task.State.HELD, holder=submission.pk, leased_until=until))


_LEASE = PreparedUpdate(
    lambda task: Task.objects.filter(pk=task, state=Task.State.WAITING), "state", "holder", "leased_until"
)
_HELD_BY = Prepared(lambda submission: Task.objects.filter(holder=submission).values_list("pk", flat=True))


def hand_out(submission: Submission, past: Past) -> str:
    """Draw the pairs that the worker is shown after consent. Returns the reason for a refusal, or "".

    ``past`` is the worker's history, read in this transaction. The task is exchanged for a waiting one, if possible,
    in two cases: it has gone to somebody else, or the worker has just seen one of its pairs in another window.
    """
    if not _HELD_BY(submission.pk):
        _exchange_task(submission)
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                pairs = task_pairs(submission)
                earlier = take_up_again(submission) if past.has_seen(pairs) else None
                gold = fill_slots(submission, pairs, past, np.random.default_rng(submission.seed))
                if earlier:
                    copy_choices(earlier, submission)
        except IntegrityError:
            if not _exchange_task(submission):
                return "no-task"
            past = past_of(submission.campaign, submission.worker_id)
            continue
        return "" if gold >= submission.campaign.gold_per_task else "nothing-new"
    return "no-task"


def _exchange_task(submission: Submission) -> bool:
    """Give the submission another task and free its own. Returns False if no waiting task fits the worker."""
    for _ in range(PAUSES_IN_TRANSACTION):
        try:
            return _try_to_exchange(submission)
        except _BeingTaken:
            time.sleep(PAUSE)
    return False


@transaction.atomic
def _try_to_exchange(submission: Submission) -> bool:
    campaign, worker, taken_at = submission.campaign, submission.worker, submission.taken_at
    past = past_of(campaign, worker.pk)
    taking = Taking(
        campaign=campaign,
        who=worker,
        assignment_id=submission.assignment_id,
        place=None,
        taken_at=taken_at,
        past=past,
        resumes=taken_at is not None,
        held=_tasks_held_by(worker),
    )
    task_id = _next_task(taking)
    if task_id is None:
        return False
    free_task(submission)
    if _lease_waiting(submission, task_id):
        Submission.objects.filter(pk=submission.pk).update(task=task_id)
        submission.task_id = task_id
    return submission.task_id == task_id
