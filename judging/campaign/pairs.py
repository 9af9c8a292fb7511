"""Pairs to judge, and the tasks they are packed into."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Subquery

from judging.models import Campaign, Pair, Submission, Task, TaskPair
from judging.rules.packing import PairRequest, pack
from pooling.models import Pool, PooledPassage
from pooling.rules.passage_text import is_canonical
from pooling.storage import bulk

BATCH = 2000


def class_representatives(pool: Pool) -> dict[int, list[int]]:
    """Map each query key to the keys of the passages that represent its classes, ascending.

    Each class of near-duplicates in the pool has one representative: its canonical passage or, if that is not pooled,
    its passage with the smallest key.
    """
    rows = PooledPassage.objects.filter(pool=pool).values_list(
        "query_id", "passage_id", "passage__class_key", "passage__pid"
    )
    classes: dict[int, dict[str, int]] = {}
    for query, passage, key, pid in rows.order_by("query_id", "passage_id").iterator(chunk_size=BATCH):
        of_query = classes.setdefault(query, {})
        of_query.setdefault(key or f"passage {passage}", passage)
        if is_canonical(pid, key):
            of_query[key] = passage
    return {query: sorted(of_query.values()) for query, of_query in classes.items()}


def pairs_of(pool: Pool) -> list[PairRequest]:
    """Return all pairs of class representatives for each query of the pool."""
    return [
        PairRequest(query, a, b)
        for query, passages in class_representatives(pool).items()
        for a, b in combinations(passages, 2)
    ]


@transaction.atomic
def request_pairs(campaign: Campaign, pairs: Sequence[PairRequest], *, judgments: int, round: int) -> int:
    """Request ``judgments`` more judgments of each pair; return how many tasks this created.

    Pairs that are new to the campaign are created in ``round``. One judgment of each pair makes a layer. Each layer
    is packed into tasks of its own, so that no task has a pair twice; leasing gives the layers to different workers.
    """
    if not pairs or judgments < 1:
        return 0
    # Lock the campaign's row first, so that concurrent requests number their tasks one after the other.
    Campaign.objects.filter(pk=campaign.pk).update(seed=campaign.seed)
    ensure_pairs(campaign, pairs, round=round)
    known = pair_ids(campaign, {pair.query_id for pair in pairs})
    ids = [known[pair] for pair in pairs]
    last = Task.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
    made = 0
    for layer in range(judgments):
        rng = np.random.default_rng([abs(campaign.seed), round, last, layer])
        packed = pack([pair.query_id for pair in pairs], campaign.pairs_per_task, rng)
        _create_tasks(campaign, [[ids[index] for index in task] for task in packed], last + made, round)
        made += len(packed)
    return made


def ensure_pairs(campaign: Campaign, pairs: Iterable[PairRequest], *, round: int) -> None:
    """Create those of the pairs that are new to the campaign, as pairs of this ``round``."""
    rows = ((campaign.pk, pair.query_id, pair.passage_a_id, pair.passage_b_id, round) for pair in pairs)
    bulk.insert(Pair, ("campaign_id", "query_id", "passage_a_id", "passage_b_id", "round"), rows)


def pair_ids(campaign: Campaign, query_ids: Iterable[int] | None = None) -> dict[PairRequest, int]:
    """Map the campaign's pairs to their keys, in the order in which they were created.

    Only pairs of the queries in ``query_ids`` are included. If more than 500 queries are given, all pairs are.
    """
    wanted = None if query_ids is None else set(query_ids)
    rows = Pair.objects.filter(campaign=campaign).order_by("pk")
    if wanted is not None and len(wanted) <= 500:
        rows = rows.filter(query_id__in=wanted)
    return {
        PairRequest(query, a, b): pk
        for pk, query, a, b in rows.values_list("pk", "query_id", "passage_a_id", "passage_b_id").iterator(
            BATCH
        )
    }


def _create_tasks(campaign: Campaign, packed: Sequence[Sequence[int]], after: int, round: int) -> None:
    numbers = range(after + 1, after + 1 + len(packed))
    waiting = ((campaign.pk, number, Task.State.WAITING.value, round) for number in numbers)
    bulk.insert(Task, ("campaign_id", "number", "state", "round"), waiting, on_conflict="(id) DO NOTHING")
    made = dict(Task.objects.filter(campaign=campaign, number__gt=after).values_list("number", "pk"))
    rows = (
        (made[number], pair) for number, pair_keys in zip(numbers, packed, strict=True) for pair in pair_keys
    )
    bulk.insert(TaskPair, ("task_id", "pair_id"), rows)


@transaction.atomic
def repack_unjudged(submission: Submission, judged_pair_ids: set[int]) -> int:
    """Move the pairs that a submission left unjudged into another task; return the number of pairs moved.

    This is a waiting task with room for them or, without one, a new task. Every task costs the same, however few
    pairs it has. If each submission got a new task, workers who leave out a pair each time would double the cost.
    """
    if submission.task is None:
        return 0
    rows = submission.task.task_pairs.exclude(pair_id__in=judged_pair_ids)
    left = [task_pair.pair for task_pair in rows.select_related("pair")]
    if not left:
        return 0
    Campaign.objects.filter(pk=submission.campaign_id).update(seed=submission.campaign.seed)
    rows.update(task=_task_with_room(submission.task, left) or _task_after_last(submission.task))
    return len(left)


def _task_with_room(of: Task, left: Sequence[Pair]) -> Task | None:
    """Lock and return the last waiting task that nobody has opened and that these pairs of ``of`` fit into, if any.

    Like packing, this puts two pairs of a query into one task only if a campaign grades single passages.
    """
    campaign = of.campaign
    same = {"pair__in": left} if campaign.grades else {"pair__query__in": [pair.query_id for pair in left]}
    waiting = Task.objects.filter(
        ~Exists(TaskPair.objects.filter(task=OuterRef("pk"), **same)),
        campaign=campaign,
        round=of.round,
        state=Task.State.WAITING,
        submissions=None,
    )
    sizes = TaskPair.objects.filter(task=OuterRef("pk")).order_by().values("task").annotate(Count("pk"))
    roomy = waiting.annotate(size=Subquery(sizes.values("pk__count"))).filter(
        size__lte=campaign.pairs_per_task - len(left)
    )
    # Locked, so that no worker can take the task meanwhile. A task that is being taken stays as it is.
    return roomy.order_by("-number").select_for_update(of=("self",), skip_locked=True).first()


def _task_after_last(of: Task) -> Task:
    last = Task.objects.filter(campaign=of.campaign).aggregate(last=Max("number"))["last"] or 0
    return Task.objects.create(campaign=of.campaign, number=last + 1, round=of.round)


def judgments_in_flight(campaign: Campaign, pairs: Sequence[PairRequest]) -> dict[PairRequest, int]:
    """Map each of these pairs to the number of its requested judgments whose tasks are not done yet."""
    rows = TaskPair.objects.filter(task__campaign=campaign).exclude(task__state=Task.State.DONE)
    counts = Counter(
        PairRequest(*row)
        for row in rows.values_list("pair__query_id", "pair__passage_a_id", "pair__passage_b_id")
    )
    return {pair: counts[pair] for pair in pairs}
