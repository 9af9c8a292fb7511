"""What a worker is shown: a task's pairs, gold and repeated pairs, in an order and on sides that come from a seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from judging.gold_drawing import Gold, Shown, draw
from judging.layout import lay_out
from judging.models import Choice, Pair, Slot, Submission, TaskPair
from judging.services.gold_drawing import memory_of, new_and_seen, usable_gold
from judging.services.repeats import draw_repeats, with_repeats

#: Work whose judgments count or may yet: only that balances sides. Neither what was given back, lapsed or was left
#: out by whoever stopped early, nor what an exclusion, a pilot or a trial keeps from counting.
MAY_COUNT_STATES = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]
MAY_COUNT_STANDINGS = [Submission.Standing.PENDING, Submission.Standing.COUNTED]


def fill_slots(submission: Submission, rng: np.random.Generator) -> int:
    """Draw gold, order and sides; returns the number of gold pairs.

    A task that the worker gave back without a choice is shown as it was: were its gold drawn anew, whoever opens it
    twice could tell test pairs by what changed. Raises IntegrityError when this worker was just shown one of them.
    """
    slots = _planned(submission, rng)
    Slot.objects.bulk_create(slots)
    return sum(slot.gold_pair_id is not None for slot in slots)


def _planned(submission: Submission, rng: np.random.Generator) -> list[Slot]:
    pairs = list(Pair.objects.filter(task_pairs__task=submission.task_id).order_by("pk"))
    return _as_before(submission, pairs) or _drawn(submission, pairs, _leanings(pairs), rng)


def _as_before(submission: Submission, pairs: list[Pair]) -> list[Slot]:
    """The slots in which this worker saw the task last; empty when it was not so, or not all of it can be shown.

    Sides stay, too, whatever others were shown meanwhile: a side that changed would tell that its pair is no gold.
    """
    mine = Slot.objects.filter(
        worker=submission.worker_id, submission__task=submission.task_id, given_back=True
    )
    last = mine.order_by("-pk").values_list("submission", flat=True).first()
    before = list(Slot.objects.filter(submission=last).order_by("number")) if last else []
    gold = {slot.gold_pair_id for slot in before if slot.gold_pair_id is not None}
    if {slot.pair_id for slot in before} - {None} != {pair.pk for pair in pairs}:
        return []
    if usable_gold(submission.campaign, submission.worker_id).filter(pk__in=gold).count() < len(gold):
        return []
    same = ("number", "pair_id", "gold_pair_id", "repeats_id", "left_id", "right_id")
    return [
        Slot(
            submission=submission,
            worker_id=submission.worker_id,
            **{name: getattr(slot, name) for name in same},
        )
        for slot in before
    ]


def _drawn(
    submission: Submission,
    pairs: list[Pair],
    leanings: list[int],
    rng: np.random.Generator,
) -> list[Slot]:
    # Where the crowd says who arrives, gold that the worker saw goes with the task of then and with no other.
    gold = _draw_gold(submission, pairs, rng, again=submission.taken_at is None)
    slots = []
    for number, seat in enumerate(lay_out(leanings, len(gold), rng), start=1):
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
    asked = {pair.query_id for pair in pairs} | {one.query_id for one in gold}
    return with_repeats(slots, draw_repeats(submission, asked, rng), submission, rng)


def pairs_in(submission: Submission) -> int:
    """How many pairs the worker is shown, or will be once the worker agrees."""
    if drawn := submission.slots.count():
        return drawn
    if submission.campaign.repeats_per_task:  # a worker's first task has nothing to repeat
        return len(_planned(submission, np.random.default_rng(submission.seed)))
    return TaskPair.objects.filter(task=submission.task_id).count() + submission.campaign.gold_per_task


def give_back(submissions: QuerySet[Submission]) -> None:
    """Let the pairs and gold pairs of submissions that ended without a choice be drawn again for their workers.

    They are marked, not deleted: what a worker has never seen is drawn first, and what was seen is shown as it was,
    so that nobody can tell gold pairs by opening tasks again and again.
    """
    made = Choice.objects.filter(slot__submission=OuterRef("submission"))
    Slot.objects.filter(submission__in=submissions, given_back=False).exclude(Exists(made)).update(
        given_back=True
    )


def take_up(submission: Submission) -> None:
    """Take back what was given back, for the submission came in after all; not what the worker was shown since."""
    mine = Slot.objects.filter(submission=submission, given_back=True)
    if not mine.exists():
        return
    since = Slot.objects.filter(worker=submission.worker_id, given_back=False)
    same = Q(pair=OuterRef("pair")) | Q(gold_pair=OuterRef("gold_pair")) | Q(repeats=OuterRef("repeats"))
    again = since.filter(same)
    mine.exclude(Exists(again)).update(given_back=False)


def _draw_gold(
    submission: Submission, pairs: list[Pair], rng: np.random.Generator, *, again: bool
) -> list[Gold]:
    """Draw the gold pairs of a task from those that this worker never saw; fewer when too few are left.

    With ``again``, gold that was given back fills the gaps.
    """
    campaign, worker_id = submission.campaign, submission.worker_id
    memory = memory_of(worker_id)
    task = [Shown(pair.query_id, pair.passage_a_id, pair.passage_b_id) for pair in pairs]
    new, seen = new_and_seen(campaign, worker_id)
    drawn = draw(new, memory, task, campaign.gold_per_task, rng)
    missing = campaign.gold_per_task - len(drawn)
    if missing and again:
        drawn += draw(seen, memory, [*task, *(one.shown for one in drawn)], missing, rng)
    return drawn


def _leanings(pairs: list[Pair]) -> list[int]:
    """Per pair: how many times more it was shown with passage a on the left than with b, in work that may count."""
    slots = Slot.objects.filter(
        pair__in=pairs,
        submission__state__in=MAY_COUNT_STATES,
        submission__standing__in=MAY_COUNT_STANDINGS,
    )
    made = Choice.objects.filter(slot=OuterRef("pk"))
    judged = slots.filter(Q(submission__state=Submission.State.HELD) | Exists(made))
    shown = Counter(judged.values_list("pair_id", "left_id"))
    return [shown[pair.pk, pair.passage_a_id] - shown[pair.pk, pair.passage_b_id] for pair in pairs]
