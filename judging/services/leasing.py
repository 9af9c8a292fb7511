"""Late binding: which task a worker gets, and with which gold pairs.

A place is anonymous. When a worker first opens it, the next task that this worker may judge is leased to
(assignment, worker) by a conditional update, and gold pairs that this worker has not seen are drawn into it.
Unique constraints on slots hold "no worker sees a pair twice", whatever races.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import NamedTuple

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from config import clock
from judging.layout import lay_out, submission_seed
from judging.models import (
    Campaign,
    Choice,
    GoldPair,
    Pair,
    Place,
    Slot,
    Submission,
    Task,
    TaskPair,
    Worker,
)

TRIES = 20
#: Leases of one place on which choices were made: more than one is rare, more than a few is no accident.
MOST_LEASES = 3
#: What was sent off from our page may reach the crowd, and we the crowd's list, this much after the deadline.
GRACE = timedelta(minutes=15)
#: Work whose judgments count or may yet: only that balances sides. Neither what was given back, lapsed or was left
#: out by whoever stopped early, nor what an exclusion, a pilot or a trial keeps from counting.
MAY_COUNT_STATES = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]
MAY_COUNT_STANDINGS = [Submission.Standing.PENDING, Submission.Standing.COUNTED]


class _Gold(NamedTuple):
    """A gold pair's key, and those of its passages."""

    pk: int
    relevant_id: int
    off_topic_id: int


class _Taken(Exception):
    """Somebody else was faster."""


def lease_task(
    campaign: Campaign, worker: Worker, *, assignment_id: str, place: Place | None
) -> Submission | None:
    """The worker's submission for this assignment, with its task; None when no task is left for this worker.

    An assignment that passed to this worker from another one frees that one's task. Safe to race: who asks for
    the same assignment again gets the submission that is there.
    """
    known = Submission.objects.filter(assignment_id=assignment_id, worker=worker)
    _release_others(assignment_id, worker)
    for _ in range(TRIES):
        try:
            if submission := _take_next(campaign, worker, assignment_id, place):
                return submission
        except _Taken:
            continue
        except IntegrityError:
            if submission := known.first():
                return submission
            continue
        if not free_lapsed(campaign):
            return None
    return None


def _next_task(campaign: Campaign, worker: Worker) -> int | None:
    """The first waiting task without a pair that this worker was ever shown, read off an index in order.

    What the worker has seen is looked up once, not for each task that waits, so that taking a task costs the same
    however many wait. Tasks that somebody is just taking are passed over (on PostgreSQL; on SQLite one takes
    at a time), and waited for when there are no others: whoever takes them may yet fail.
    """
    seen = TaskPair.objects.filter(pair__slots__worker=worker).values("task_id")
    waiting = Task.objects.filter(campaign=campaign, state=Task.State.WAITING)
    fitting = waiting.exclude(pk__in=seen).order_by("number").values_list("pk", flat=True)
    free: int | None = fitting.select_for_update(skip_locked=True).first()
    return free if free is not None else fitting.select_for_update().first()


@transaction.atomic
def _take_next(
    campaign: Campaign, worker: Worker, assignment_id: str, place: Place | None
) -> Submission | None:
    task_id = _next_task(campaign, worker)
    if task_id is None:
        return None
    now = clock.now()
    submission = Submission.objects.create(
        campaign=campaign,
        place=place,
        worker=worker,
        task_id=task_id,
        assignment_id=assignment_id,
        seed=0,
        opened_at=now,
    )
    submission.seed = submission_seed(campaign.seed, submission.pk)
    submission.save(update_fields=["seed"])
    taken = Task.objects.filter(pk=task_id, state=Task.State.WAITING).update(
        state=Task.State.HELD,
        holder=submission,
        leased_until=now + timedelta(seconds=campaign.assignment_seconds),
    )
    if not taken:
        raise _Taken
    fill_slots(campaign, submission, np.random.default_rng(submission.seed))
    return submission


def fill_slots(campaign: Campaign, submission: Submission, rng: np.random.Generator) -> None:
    """Draw gold, order and sides; raises IntegrityError when this worker was just shown one of the pairs."""
    pairs = list(Pair.objects.filter(task_pairs__task=submission.task_id).order_by("pk"))
    gold = _draw_gold(campaign, submission.worker_id, rng)
    slots = []
    for number, seat in enumerate(lay_out(_leanings(pairs), len(gold), rng), start=1):
        if seat.is_gold:
            sides = [gold[seat.index].relevant_id, gold[seat.index].off_topic_id]
        else:
            sides = [pairs[seat.index].passage_a_id, pairs[seat.index].passage_b_id]
        left, right = reversed(sides) if seat.swapped else sides
        slots.append(
            Slot(
                submission=submission,
                worker_id=submission.worker_id,
                number=number,
                pair=None if seat.is_gold else pairs[seat.index],
                gold_pair_id=gold[seat.index].pk if seat.is_gold else None,
                left_id=left,
                right_id=right,
            )
        )
    Slot.objects.bulk_create(slots)


def _draw_gold(campaign: Campaign, worker_id: int, rng: np.random.Generator) -> list[_Gold]:
    """Accepted gold pairs that this worker never saw, as many as a task has (fewer when there are no more)."""
    rows = _unseen_gold(campaign, worker_id).order_by("pk").values_list("pk", "relevant_id", "off_topic_id")
    unseen = [_Gold(*row) for row in rows]
    return [unseen[index] for index in rng.permutation(len(unseen))[: campaign.gold_per_task].tolist()]


def _unseen_gold(campaign: Campaign, worker_id: int) -> QuerySet[GoldPair]:
    accepted = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.ACCEPTED)
    return accepted.exclude(Exists(Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id)))


def _leanings(pairs: list[Pair]) -> list[int]:
    """Per pair: how many times more it was shown with passage a on the left than with b, in work that may count."""
    slots = Slot.objects.filter(
        pair__in=pairs,
        submission__state__in=MAY_COUNT_STATES,
        submission__standing__in=MAY_COUNT_STANDINGS,
    )
    judged = slots.filter(Q(submission__state=Submission.State.HELD) | Exists(_chosen()))
    shown = Counter(judged.values_list("pair_id", "left_id"))
    return [shown[pair.pk, pair.passage_a_id] - shown[pair.pk, pair.passage_b_id] for pair in pairs]


def _chosen() -> QuerySet[Choice]:
    return Choice.objects.filter(slot=OuterRef("pk"))


def gold_is_left(campaign: Campaign, worker: Worker) -> bool:
    """Whether there are enough unseen gold pairs for one more task of this worker."""
    return _unseen_gold(campaign, worker.pk).count() >= campaign.gold_per_task


def make_room(place: Place, worker: Worker) -> bool:
    """End leases of this place that somebody else left untouched; False when too many others work on it.

    Ids in an address can be forged until the crowd confirms them. Were every new name given a task, one address
    could empty the campaign. At a crowd one person holds a place at a time, so that whoever comes next takes it over,
    unless choices were made: those are kept for when the crowd says whose they are.
    """
    others = Submission.objects.filter(place=place, state=Submission.State.HELD).exclude(worker=worker)
    touched = 0
    for other in others.annotate(touched=Exists(Choice.objects.filter(slot__submission=OuterRef("pk")))):
        if other.touched:
            touched += 1
        else:
            release(other, Submission.State.RETURNED)
    return touched < MOST_LEASES


def _release_others(assignment_id: str, worker: Worker) -> None:
    """The assignment is this worker's now: whoever had it before gave it back."""
    held = Submission.objects.filter(assignment_id=assignment_id, state=Submission.State.HELD)
    for submission in held.exclude(worker=worker):
        release(submission, Submission.State.RETURNED)


@transaction.atomic
def release(submission: Submission, state: str) -> bool:
    """End a submission that did not come in, and offer its task again; False when it was over already."""
    live = [Submission.State.HELD, Submission.State.FINISHED]
    ended = Submission.objects.filter(pk=submission.pk, state__in=live).update(state=state)
    if ended:
        Task.objects.filter(holder=submission, state=Task.State.HELD).update(
            state=Task.State.WAITING, holder=None, leased_until=None
        )
    return bool(ended)


def free_lapsed(campaign: Campaign) -> int:
    """Free the tasks of leases whose time ran out; returns how many. Safe to repeat.

    What was sent off from our page is given a grace: the crowd's list may name it a little later. Should it
    come in later still, it counts when its task still waits, and is surplus when another did the task.
    """
    now = clock.now()
    lapsed = Submission.objects.filter(campaign=campaign, held_task__leased_until__lte=now)
    held = lapsed.filter(state=Submission.State.HELD)
    finished = lapsed.filter(state=Submission.State.FINISHED, held_task__leased_until__lte=now - GRACE)
    # Whose task was taken away by an exclusion has no lease to run out, and would be at work for ever.
    over = now - timedelta(seconds=campaign.assignment_seconds) - GRACE
    live = [Submission.State.HELD, Submission.State.FINISHED]
    without = Submission.objects.filter(
        campaign=campaign, state__in=live, held_task=None, opened_at__lte=over
    )
    without.exclude(standing=Submission.Standing.TRIAL).update(state=Submission.State.LAPSED)
    return sum(release(submission, Submission.State.LAPSED) for submission in [*held[:500], *finished[:500]])
