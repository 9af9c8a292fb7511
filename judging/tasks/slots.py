"""Draw the slots of a submission: the real, gold and repeated pairs shown to its worker, their order and sides."""

from collections import Counter

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from config.prepared_queries import Prepared, append_rows
from judging.models import Choice, Pair, Slot, Submission, TaskPair
from judging.rules.gold_draw import Gold, Shown, draw
from judging.rules.layout import lay_out
from judging.tasks.repeated_pairs import draw_repeats, with_repeats
from judging.tasks.worker_memory import Past, past_of, usable_gold

#: The states and standings of submissions whose judgments count or can still count. Only these are used to balance
#: sides. Work that was returned or lapsed, and work that does not count for another reason, is ignored.
MAY_COUNT_STATES = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]
MAY_COUNT_STANDINGS = [Submission.Standing.PENDING, Submission.Standing.COUNTED]


def task_pairs(submission: Submission) -> list[Pair]:
    """Return the real pairs of the submission's task."""
    return _PAIRS(submission.task_id) if submission.task_id else []


_PAIRS = Prepared(lambda task: Pair.objects.filter(task_pairs__task=task).order_by("pk"))


def fill_slots(submission: Submission, pairs: list[Pair], past: Past, rng: np.random.Generator) -> int:
    """Draw and store the submission's slots for these real ``pairs``; return the number of gold pairs among them.

    A task that the worker returned is shown as before. If its gold pairs were drawn again, opening the task twice
    would reveal them. Raises IntegrityError if this worker has just been shown one of the pairs.
    """
    slots = _slots_for(submission, pairs, past, rng)
    append_rows(slots)
    return sum(slot.gold_pair_id is not None for slot in slots)


def _slots_for(submission: Submission, pairs: list[Pair], past: Past, rng: np.random.Generator) -> list[Slot]:
    before = _as_before(submission, pairs) if past.has_seen(pairs) else []
    return before or _draw_slots(submission, pairs, past, rng)


def _as_before(submission: Submission, pairs: list[Pair]) -> list[Slot]:
    """Return new slots like those that this worker last saw in the task; empty if this is not possible.

    It is not possible if the worker saw other pairs, or if a gold pair cannot be shown again.

    Sides stay the same too, even if they are no longer balanced. A changed side would reveal that a pair is not gold.
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


def _draw_slots(
    submission: Submission, pairs: list[Pair], past: Past, rng: np.random.Generator
) -> list[Slot]:
    # If the crowd signs arrivals, a gold pair that the worker has seen appears only in the same task as before.
    gold = _draw_gold(past, pairs, rng, again=submission.taken_at is None)
    slots = []
    for number, seat in enumerate(lay_out(_leanings(submission, pairs), len(gold), rng), start=1):
        if seat.is_gold:
            sides = [gold[seat.index].relevant_id, gold[seat.index].off_topic_id]
        else:
            sides = [pairs[seat.index].passage_a_id, pairs[seat.index].passage_b_id]
        left, right = reversed(sides) if seat.swapped else sides
        if submission.campaign.grades:
            right = left
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
    """Return how many pairs the worker is shown, or will be after consent, gold and repeated pairs included."""
    drawn_yet = hasattr(submission, "consent") or submission.standing == Submission.Standing.TRIAL
    if drawn_yet and (drawn := submission.slots.count()):
        return drawn
    if submission.campaign.repeats_per_task:  # nothing to repeat in a worker's first task
        past = past_of(submission.campaign, submission.worker_id)
        rng = np.random.default_rng(submission.seed)
        return len(_slots_for(submission, task_pairs(submission), past, rng))
    return len(_KEYS(submission.task_id or 0)) + submission.campaign.gold_per_task


_KEYS = Prepared(lambda task: TaskPair.objects.filter(task=task).values_list("pk", flat=True))


def free_slots(submissions: QuerySet[Submission]) -> None:
    """Let the pairs of those submissions that have no choice be drawn again for the same workers.

    Their slots are marked as given back, not deleted. Later, unseen pairs are drawn first, and a seen task is shown
    as before, so that nobody can find gold pairs by opening tasks repeatedly.
    """
    made = Choice.objects.filter(slot__submission=OuterRef("submission"))
    Slot.objects.filter(submission__in=submissions, given_back=False).exclude(Exists(made)).update(
        given_back=True
    )


def take_up(submission: Submission) -> None:
    """Undo :func:`free_slots` for a submission that the crowd lists after all, or that is kept.

    Slots stay given back if the worker has seen their pair again in the meantime.
    """
    mine = Slot.objects.filter(submission=submission, given_back=True)
    if not mine.exists():
        return
    since = Slot.objects.filter(worker=submission.worker_id, given_back=False)
    same = Q(pair=OuterRef("pair")) | Q(gold_pair=OuterRef("gold_pair")) | Q(repeats=OuterRef("repeats"))
    again = since.filter(same)
    mine.exclude(Exists(again)).update(given_back=False)


def _draw_gold(past: Past, pairs: list[Pair], rng: np.random.Generator, *, again: bool) -> list[Gold]:
    """Draw the gold pairs of a task from those that this worker never saw. Returns fewer if too few are left.

    With ``again``, missing ones are drawn from those that the worker saw and gave back.
    """
    wanted, memory = past.campaign.gold_per_task, past.memory
    task = [Shown(pair.query_id, pair.passage_a_id, pair.passage_b_id) for pair in pairs]
    single = past.campaign.grades > 0
    drawn = draw(past.new, memory, task, wanted, rng, single=single)
    missing = wanted - len(drawn)
    if missing and again:
        drawn += draw(past.seen, memory, [*task, *(one.shown for one in drawn)], missing, rng, single=single)
    return drawn


_EVER = Prepared(lambda task: Slot.objects.filter(pair__task_pairs__task=task).values_list("pk", flat=True))


def _leanings(submission: Submission, pairs: list[Pair]) -> list[int]:
    """Return for each pair how many more times passage a was on the left than passage b, in work that can count."""
    # Most pairs were never shown, which an index alone shows.
    ever = _EVER(submission.task_id) if submission.task_id else []
    if not ever:
        return [0] * len(pairs)
    slots = Slot.objects.filter(
        pk__in=ever,
        submission__state__in=MAY_COUNT_STATES,
        submission__standing__in=MAY_COUNT_STANDINGS,
    )
    made = Choice.objects.filter(slot=OuterRef("pk"))
    judged = slots.filter(Q(submission__state=Submission.State.HELD) | Exists(made))
    shown = Counter(judged.values_list("pair_id", "left_id"))
    return [shown[pair.pk, pair.passage_a_id] - shown[pair.pk, pair.passage_b_id] for pair in pairs]
