"""Let a worker who returned a task continue it, as long as nobody else has taken the task.

This requires a crowd that signs arrivals. At others, anybody who knows a worker's id could read that worker's
choices. Sides, order and gold pairs stay the same if all gold pairs can still be shown (judging/tasks/slots.py),
since changes could reveal which pairs are gold.
"""

from django.db.models import Exists, OuterRef, QuerySet

from judging.models import Campaign, Choice, Slot, Submission, Task, Worker
from judging.rules.layout import LEFT, RIGHT

FLIPPED = {LEFT: RIGHT, RIGHT: LEFT}


def resumable(campaign: Campaign, worker: Worker) -> QuerySet[Submission]:
    """Return the worker's returned submissions with choices whose task is still waiting, latest first."""
    made = Choice.objects.filter(slot__submission=OuterRef("pk"), slot__given_back=False)
    returned = Submission.objects.filter(
        campaign=campaign,
        worker=worker,
        state=Submission.State.RETURNED,
        standing=Submission.Standing.PENDING,
        finished_at=None,
        taken_at__isnull=False,
        task__state=Task.State.WAITING,
    )
    return returned.filter(Exists(made)).order_by("-pk")


def take_up_again(submission: Submission) -> Submission | None:
    """Return the returned submission that this one continues, if any, after marking its slots as given back.

    Call it in the transaction that fills the new submission's slots.
    """
    if submission.taken_at is None:
        return None
    mine = Submission.objects.filter(
        worker=submission.worker_id,
        task=submission.task_id,
        state=Submission.State.RETURNED,
        finished_at=None,
        taken_at__isnull=False,
    )
    made = Choice.objects.filter(slot__submission=OuterRef("pk"), slot__given_back=False)
    earlier = mine.filter(Exists(made)).order_by("-pk").first()
    if earlier is not None:
        Slot.objects.filter(submission=earlier).update(given_back=True)
    return earlier


def copy_choices(earlier: Submission, submission: Submission) -> int:
    """Copy the choices of the earlier submission to the new one's slots; return the number of slots with choices.

    Also stores that number as ``resumed_pairs``.
    """
    before = {_slot_key(one): one for one in earlier.slots.prefetch_related("choices")}
    copies: list[Choice] = []
    judged = 0
    for slot in submission.slots.all():
        known = before.get(_slot_key(slot))
        made = list(known.choices.all()) if known else []
        judged += bool(made)
        flipped = known is not None and known.left_id != slot.left_id
        copies += [_copy_choice(choice, slot, flipped=flipped) for choice in made]
    Choice.objects.bulk_create(copies)
    Submission.objects.filter(pk=submission.pk).update(resumed_pairs=judged)
    submission.resumed_pairs = judged
    return judged


def _slot_key(slot: Slot) -> tuple[int | None, ...]:
    """Return the keys that identify the slot's content in any submission of the task."""
    return slot.pair_id, slot.gold_pair_id, slot.repeats_id


def _copy_choice(choice: Choice, slot: Slot, *, flipped: bool) -> Choice:
    """Return a copy of a choice for another slot. With ``flipped``, that slot has the passages on the other sides."""
    same = (
        "sequence",
        "seconds_shown",
        "seconds_hidden",
        "focus_lost",
        "input_method",
        "viewport",
        "chosen_at",
    )
    values = {name: getattr(choice, name) for name in same}
    return Choice(slot=slot, side=FLIPPED.get(choice.side, choice.side) if flipped else choice.side, **values)
