"""A worker's history, and the gold pairs and tasks that fit it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from judging.models import Campaign, GoldPair, Slot, TaskPair
from judging.rules.gold_drawing import Gold, Memory, Shown, enough_fit

_PAIR = ("pair__query_id", "pair__passage_a_id", "pair__passage_b_id")
_GOLD = ("pk", "query_id", "relevant_id", "off_topic_id")


def memory_of(worker_id: int | None, *, gold_alone: bool = False) -> Memory:
    """Return what a worker was ever shown, in every campaign. With ``gold_alone``, only in gold pairs."""
    memory = Memory()
    if worker_id is not None:
        slots = Slot.objects.filter(worker=worker_id)
        slots = slots.exclude(gold_pair=None) if gold_alone else slots
        query = Coalesce("pair__query_id", "gold_pair__query_id", "repeats__pair__query_id")
        memory.keep(Shown(*row) for row in slots.values_list(query, "left_id", "right_id"))
    return memory


def usable_gold(campaign: Campaign, worker_id: int | None) -> QuerySet[GoldPair]:
    """Return accepted gold pairs that no slot of this worker holds."""
    accepted = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.ACCEPTED)
    if worker_id is None:
        return accepted
    held = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id, given_back=False)
    return accepted.exclude(Exists(held))


def new_and_seen(campaign: Campaign, worker_id: int | None) -> tuple[list[Gold], list[Gold]]:
    """Split usable gold pairs into those that this worker never saw, and those that were given back."""
    shown = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id)
    usable = usable_gold(campaign, worker_id).annotate(before=Exists(shown)).order_by("pk")
    new: list[Gold] = []
    seen: list[Gold] = []
    for *row, before in usable.values_list(*_GOLD, "before"):
        (seen if before else new).append(Gold(*row))
    return new, seen


def real_pairs(tasks: Iterable[int]) -> dict[int, list[Shown]]:
    """Map each task to its real pairs."""
    found: dict[int, list[Shown]] = defaultdict(list)
    rows = TaskPair.objects.filter(task__in=list(tasks)).order_by("pk")
    for task, *pair in rows.values_list("task_id", *_PAIR):
        found[task].append(Shown(*pair))
    return found


def gold_is_left(campaign: Campaign, worker_id: int | None) -> bool:
    """Return whether enough gold pairs are left for another task of this worker (None: a new worker)."""
    rows = usable_gold(campaign, worker_id).order_by("pk").values_list(*_GOLD)
    return _enough(campaign, [Gold(*row) for row in rows], memory_of(worker_id))


@dataclass(frozen=True)
class Past:
    """The pairs shown to a worker, and the gold pairs left for them: read once for all tasks that may fit."""

    campaign: Campaign
    worker_id: int
    memory: Memory
    new: Sequence[Gold]
    seen: Sequence[Gold]
    """Gold pairs that were given back."""

    def new_gold_is_left(self) -> bool:
        """Return whether enough gold pairs that this worker never saw are left for another task."""
        return _enough(self.campaign, self.new, self.memory)


def past_of(campaign: Campaign, worker_id: int) -> Past:
    """Read what fitting tasks depend on."""
    return Past(campaign, worker_id, memory_of(worker_id), *new_and_seen(campaign, worker_id))


def _enough(campaign: Campaign, gold: Sequence[Gold], memory: Memory) -> bool:
    return enough_fit(gold, memory, (), campaign.gold_per_task)


def fitting(past: Past, tasks: Sequence[int], *, strictly: bool) -> list[int]:
    """Return the tasks with enough gold and without a passage that the worker saw under another question.

    Unless ``strictly``, passages seen under another question in a real pair are allowed.
    """
    usable = [*past.new, *past.seen]
    barred = past.memory if strictly else memory_of(past.worker_id, gold_alone=True)
    pairs = real_pairs(tasks)
    return [
        task
        for task in tasks
        if not any(barred.elsewhere(*pair) for pair in pairs[task])
        and enough_fit(usable, past.memory, pairs[task], past.campaign.gold_per_task)
    ]
