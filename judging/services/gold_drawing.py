"""What a worker was shown, and which gold pairs and tasks fit it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from config import kept_objects
from judging.gold_drawing import Gold, Memory, Shown, fewest_tasks, how_many_fit
from judging.models import Campaign, GoldPair, Slot, Task, TaskPair

#: Simulated workers do so many of the campaign's tasks at most; more would say the same.
MOST_SIMULATED = 100
#: What came of simulated workers with the same gold and tasks is kept for so long.
KEEP_SECONDS = 86400
_PAIR = ("pair__query_id", "pair__passage_a_id", "pair__passage_b_id")
_GOLD = ("pk", "query_id", "relevant_id", "off_topic_id")


def memory_of(worker_id: int | None, *, gold_alone: bool = False) -> Memory:
    """What a worker was ever shown, in every campaign; with ``gold_alone``, in gold pairs."""
    memory = Memory()
    if worker_id is not None:
        slots = Slot.objects.filter(worker=worker_id)
        slots = slots.exclude(gold_pair=None) if gold_alone else slots
        query = Coalesce("pair__query_id", "gold_pair__query_id", "repeats__pair__query_id")
        memory.keep(Shown(*row) for row in slots.values_list(query, "left_id", "right_id"))
    return memory


def usable_gold(campaign: Campaign, worker_id: int | None) -> QuerySet[GoldPair]:
    """Accepted gold pairs that no slot of this worker holds."""
    accepted = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.ACCEPTED)
    if worker_id is None:
        return accepted
    held = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id, given_back=False)
    return accepted.exclude(Exists(held))


def new_and_seen(campaign: Campaign, worker_id: int | None) -> tuple[list[Gold], list[Gold]]:
    """Usable gold pairs: those that this worker never saw, and those that were given back."""
    shown = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id)
    usable = usable_gold(campaign, worker_id).annotate(before=Exists(shown)).order_by("pk")
    new: list[Gold] = []
    seen: list[Gold] = []
    for *row, before in usable.values_list(*_GOLD, "before"):
        (seen if before else new).append(Gold(*row))
    return new, seen


def real_pairs(tasks: Iterable[int]) -> dict[int, list[Shown]]:
    """Task → its real pairs."""
    found: dict[int, list[Shown]] = defaultdict(list)
    rows = TaskPair.objects.filter(task__in=list(tasks)).order_by("pk")
    for task, *pair in rows.values_list("task_id", *_PAIR):
        found[task].append(Shown(*pair))
    return found


def gold_is_left(campaign: Campaign, worker_id: int | None) -> bool:
    """Whether there are enough gold pairs for some further task of this worker (None: of somebody new)."""
    return _enough(
        campaign, [*map(_gold, usable_gold(campaign, worker_id).order_by("pk"))], memory_of(worker_id)
    )


def new_gold_is_left(campaign: Campaign, worker_id: int) -> bool:
    """Whether there are enough gold pairs that this worker never saw for some further task."""
    return _enough(campaign, new_and_seen(campaign, worker_id)[0], memory_of(worker_id))


def _enough(campaign: Campaign, gold: Sequence[Gold], memory: Memory) -> bool:
    return how_many_fit(gold, memory, ()) >= campaign.gold_per_task


def _gold(row: GoldPair) -> Gold:
    return Gold(row.pk, row.query_id, row.relevant_id, row.off_topic_id)


def tasks_with_gold(campaign: Campaign) -> int:
    """How many tasks the least lucky of some simulated workers finds gold pairs for, up to the limit."""
    keys = list(Task.objects.filter(campaign=campaign).order_by("number").values_list("pk", flat=True))
    keys = keys[:: max(1, len(keys) // MOST_SIMULATED)]
    gold = [_gold(row) for row in usable_gold(campaign, None).order_by("pk")]
    tasks, seed = real_pairs(keys), abs(campaign.seed)
    settings = (campaign.gold_per_task, campaign.max_tasks_per_worker, seed)
    key = kept_objects.key_of("tasks-with-gold", *settings, gold, list(tasks.items()))
    known: int | None = kept_objects.read(key)
    if known is None:
        per_task, most = settings[:2]
        known = fewest_tasks(gold, tasks, per_task=per_task, most=most, rng=np.random.default_rng(seed))
        kept_objects.keep(key, known, KEEP_SECONDS)
    return known


def fitting(campaign: Campaign, worker_id: int, tasks: Sequence[int], *, strictly: bool) -> list[int]:
    """Those of the tasks for which there is gold and in which no passage stands under another question than before.

    Unless ``strictly``, passages that stood under another question in a real pair do not matter.
    """
    memory = memory_of(worker_id)
    new, seen = new_and_seen(campaign, worker_id)
    usable = [*new, *seen]
    barred = memory if strictly else memory_of(worker_id, gold_alone=True)
    pairs = real_pairs(tasks)
    return [
        task
        for task in tasks
        if not any(barred.elsewhere(pair) for pair in pairs[task])
        and how_many_fit(usable, memory, pairs[task]) >= campaign.gold_per_task
    ]
