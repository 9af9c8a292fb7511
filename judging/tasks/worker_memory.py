"""The history of the pairs that a worker was shown, and the tasks and gold pairs that still fit the worker."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from config.prepared_queries import Prepared
from judging.models import Campaign, GoldPair, Pair, Slot, Task, TaskPair
from judging.rules.gold_draw import Gold, Memory, Shown, enough_fit

_PAIR = ("pair__query_id", "pair__passage_a_id", "pair__passage_b_id")
_GOLD = ("pk", "query_id", "relevant_id", "off_topic_id")


def _slots_shown_to(worker: int) -> QuerySet[Slot, tuple[Any, ...]]:
    query = Coalesce("pair__query_id", "gold_pair__query_id", "repeats__pair__query_id")
    slots = Slot.objects.filter(worker=worker)
    return slots.values_list("pair_id", "gold_pair_id", "given_back", query, "left_id", "right_id")


#: A query for all pairs that a worker was ever shown, in all campaigns.
_SHOWN = Prepared(_slots_shown_to)


def usable_gold(campaign: Campaign | int, worker_id: int | None) -> QuerySet[GoldPair]:
    """Return the accepted gold pairs that this worker was not shown, or was shown and gave back."""
    accepted = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.ACCEPTED)
    if worker_id is None:
        return accepted
    held = Slot.objects.filter(gold_pair=OuterRef("pk"), worker=worker_id, given_back=False)
    return accepted.exclude(Exists(held))


_GOLD_OF = Prepared(lambda campaign: usable_gold(campaign, None).order_by("pk").values_list(*_GOLD))


#: The number of waiting tasks to read and examine together for one that fits a worker.
AT_ONCE = 20


class Candidate(NamedTuple):
    """A task that may fit a worker: its key and number, and its real pairs with their keys."""

    task_id: int
    number: int
    pairs: list[Shown]
    keys: set[int]


def candidates(tasks: QuerySet[Task]) -> list[Candidate]:
    """Read these tasks with their real pairs, in the order of their numbers."""
    return _group_by_task(_pairs_of(tasks))


def first_waiting(campaign: Campaign) -> list[Candidate]:
    """Read the first :data:`AT_ONCE` waiting tasks of a campaign, with their real pairs."""
    return _group_by_task(_FIRST_WAITING(campaign.pk))


def _pairs_of(tasks: QuerySet[Task]) -> QuerySet[TaskPair, tuple[int, ...]]:
    rows = TaskPair.objects.filter(task__in=tasks.values("pk")).order_by("task__number", "pk")
    return rows.values_list("task_id", "task__number", "pair_id", *_PAIR)


def _group_by_task(rows: Iterable[tuple[int, ...]]) -> list[Candidate]:
    found: dict[int, Candidate] = {}
    for task, number, key, *pair in rows:
        one = found.setdefault(task, Candidate(task, number, [], set()))
        one.pairs.append(Shown(*pair))
        one.keys.add(key)
    return list(found.values())


_FIRST_WAITING = Prepared(
    lambda campaign: _pairs_of(
        Task.objects.filter(campaign=campaign, state=Task.State.WAITING).order_by("number")[:AT_ONCE]
    )
)


@dataclass(frozen=True)
class Past:
    """The pairs shown to a worker, and the campaign's gold pairs that are left for this worker.

    ``memory`` covers all pairs shown, ``memory_of_gold`` only gold pairs. ``new`` gold pairs were never shown. The
    history is read once for all tasks that may fit.
    """

    campaign: Campaign
    worker_id: int | None
    """The worker's key; None for a new worker."""
    memory: Memory
    memory_of_gold: Memory
    pairs: frozenset[int]
    """Real pairs that were ever shown."""
    barred: frozenset[int]
    """Real pairs that were shown and not given back."""
    new: Sequence[Gold]
    seen: Sequence[Gold]
    """Gold pairs that were given back."""

    def new_gold_is_left(self) -> bool:
        """Return whether enough gold pairs that this worker never saw are left for another task."""
        return self._enough(self.new)

    def gold_is_left(self) -> bool:
        """Return whether enough gold pairs are left for another task, including those that were given back."""
        return self._enough([*self.new, *self.seen])

    def has_seen(self, pairs: Sequence[Pair]) -> bool:
        """Return whether the worker was shown a pair of every query of ``pairs``, as in a task seen before."""
        return all(pair.query_id in self.memory.questions for pair in pairs)

    def _enough(self, gold: Sequence[Gold]) -> bool:
        return enough_fit(gold, self.memory, (), self.campaign.gold_per_task, single=self.campaign.grades > 0)


def past_of(campaign: Campaign, worker_id: int | None) -> Past:
    """Read a worker's history in all campaigns, and the gold pairs left for this worker in this campaign.

    ``worker_id`` is None for a new worker.
    """
    rows = [] if worker_id is None else _SHOWN(worker_id)
    memory, memory_of_gold = Memory(), Memory()
    memory.keep(Shown(*row[3:]) for row in rows)
    memory_of_gold.keep(Shown(*row[3:]) for row in rows if row[1])
    pairs = frozenset(pair for pair, *_ in rows if pair)
    barred = frozenset(pair for pair, _, given_back, *_ in rows if pair and not given_back)
    known = {gold for _, gold, *_ in rows}
    returned = known - {gold for _, gold, given_back, *_ in rows if not given_back}
    accepted = [Gold(*row) for row in _GOLD_OF(campaign.pk)]
    new = [gold for gold in accepted if gold.pk not in known]
    seen = [gold for gold in accepted if gold.pk in returned]
    return Past(campaign, worker_id, memory, memory_of_gold, pairs, barred, new, seen)


def fitting(past: Past, tasks: Sequence[Candidate], *, strictly: bool) -> Iterator[int]:
    """Yield the keys of those tasks that fit the worker.

    Such a task has enough gold pairs left, and no passage that the worker saw under another question. Unless
    ``strictly``, only passages that the worker saw in gold pairs are ruled out in this way. If tasks show single
    passages, all passages that the worker saw in gold pairs are ruled out.
    """
    usable = [*past.new, *past.seen]
    barred = past.memory if strictly else past.memory_of_gold
    wanted, single = past.campaign.gold_per_task, past.campaign.grades > 0
    for task in tasks:
        if any(barred.elsewhere(*pair) for pair in task.pairs):
            continue
        if single and any(pair.one_id in past.memory_of_gold.passages for pair in task.pairs):
            continue
        if enough_fit(usable, past.memory, task.pairs, wanted, single=single):
            yield task.task_id
