"""What a worker is shown: the pairs of a task and gold pairs, in an order and on sides that come from a seed."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from judging.layout import lay_out
from judging.models import Campaign, Choice, GoldPair, Pair, Slot, Submission, TaskPair

#: Work whose judgments count or may yet: only that balances sides. Neither what was given back, lapsed or was left
#: out by whoever stopped early, nor what an exclusion, a pilot or a trial keeps from counting.
MAY_COUNT_STATES = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]
MAY_COUNT_STANDINGS = [Submission.Standing.PENDING, Submission.Standing.COUNTED]


class _Gold(NamedTuple):
    """A gold pair's key, and those of its passages."""

    pk: int
    relevant_id: int
    off_topic_id: int


def fill_slots(campaign: Campaign, submission: Submission, rng: np.random.Generator) -> int:
    """Draw gold, order and sides; returns the number of gold pairs.

    Raises IntegrityError when this worker was just shown one of the pairs.
    """
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
    return len(gold)


def pairs_in(submission: Submission) -> int:
    """How many pairs the worker is shown, or will be once the worker agrees."""
    if drawn := submission.slots.count():
        return drawn
    return TaskPair.objects.filter(task=submission.task_id).count() + submission.campaign.gold_per_task


def gold_is_left(campaign: Campaign, worker_id: int | None) -> bool:
    """Whether there are enough gold pairs for one more task of this worker (None: of somebody new)."""
    return _usable_gold(campaign, worker_id).count() >= campaign.gold_per_task


def give_back(submissions: QuerySet[Submission]) -> None:
    """Let the pairs and gold pairs of submissions that ended without a choice be drawn again for their workers.

    They are marked, not deleted: what a worker has never seen is drawn first, so that nobody can tell gold pairs by
    opening a task twice.
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
    again = since.filter(Q(pair=OuterRef("pair")) | Q(gold_pair=OuterRef("gold_pair")))
    mine.exclude(Exists(again)).update(given_back=False)


def _draw_gold(campaign: Campaign, worker_id: int, rng: np.random.Generator) -> list[_Gold]:
    """As many gold pairs as a task has (fewer when there are no more): first those that this worker never saw."""
    shown = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id)
    usable = _usable_gold(campaign, worker_id).annotate(before=Exists(shown)).order_by("pk")
    unseen: list[_Gold] = []
    again: list[_Gold] = []
    for *row, before in usable.values_list("pk", "relevant_id", "off_topic_id", "before"):
        (again if before else unseen).append(_Gold(*row))
    drawn = [unseen[index] for index in rng.permutation(len(unseen))[: campaign.gold_per_task].tolist()]
    if missing := campaign.gold_per_task - len(drawn):
        drawn += [again[index] for index in rng.permutation(len(again))[:missing].tolist()]
    return drawn


def _usable_gold(campaign: Campaign, worker_id: int | None) -> QuerySet[GoldPair]:
    """Accepted gold pairs that no slot of this worker holds."""
    accepted = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.ACCEPTED)
    if worker_id is None:
        return accepted
    held = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id, given_back=False)
    return accepted.exclude(Exists(held))


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
