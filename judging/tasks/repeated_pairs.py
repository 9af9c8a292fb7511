"""Repeated pairs, which show a worker's earlier pairs again with swapped sides, and the consistency of the answers.

An answer on a repeated pair is a choice, not a judgment: it does not count in a tournament and excludes nobody.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from judging.models import Campaign, Choice, Exclusion, Slot, Submission

SENT_OFF = (Submission.State.FINISHED, Submission.State.SUBMITTED)


class Earlier(NamedTuple):
    """A slot that the worker judged in an earlier task, as keys: slot, submission, query and passages."""

    pk: int
    submission_id: int
    query_id: int
    left_id: int
    right_id: int


def draw_repeats(submission: Submission, asked: set[int], rng: np.random.Generator) -> list[Earlier]:
    """Draw earlier pairs of the worker to repeat in this task, as many as the campaign wants if there are enough.

    ``asked`` has the keys of queries that the task or its gold pairs already ask. Pairs of these queries are left
    out. Pairs of the worker's previous task are drawn last. A pair is repeated at most once, even if the repeat was
    given back.
    """
    wanted = submission.campaign.repeats_per_task
    if not wanted:
        return []
    drawn: list[Earlier] = []
    known = set(asked)
    for one in _in_order(_judged_before(submission), rng):
        if len(drawn) == wanted:
            break
        if one.query_id not in known:
            known.add(one.query_id)
            drawn.append(one)
    return drawn


def _judged_before(submission: Submission) -> list[Earlier]:
    repeated = Slot.objects.filter(repeats=OuterRef("pk"))
    made = Choice.objects.filter(slot=OuterRef("pk"))
    rows = Slot.objects.filter(
        Exists(made),
        ~Exists(repeated),
        worker=submission.worker_id,
        pair__isnull=False,
        submission__campaign=submission.campaign_id,
        submission__state__in=SENT_OFF,
    )
    columns = ("pk", "submission_id", "pair__query_id", "left_id", "right_id")
    return [Earlier(*row) for row in rows.order_by("pk").values_list(*columns)]


def _in_order(rows: list[Earlier], rng: np.random.Generator) -> list[Earlier]:
    """Shuffle the earlier pairs, with those of the worker's last task at the end."""
    last = max((one.submission_id for one in rows), default=None)
    shuffled = [rows[index] for index in rng.permutation(len(rows)).tolist()]
    return sorted(shuffled, key=lambda one: one.submission_id == last)


def with_repeats(
    slots: list[Slot], repeats: list[Earlier], submission: Submission, rng: np.random.Generator
) -> list[Slot]:
    """Insert slots for the repeated pairs at random positions, and renumber all slots."""
    for one in repeats:
        again = Slot(
            submission=submission,
            worker_id=submission.worker_id,
            repeats_id=one.pk,
            left_id=one.right_id,
            right_id=one.left_id,
        )
        slots.insert(int(rng.integers(len(slots) + 1)), again)
    for number, slot in enumerate(slots, start=1):
        slot.number = number
    return slots


def consistency_of(campaign: Campaign, *, only: Collection[int] | None = None) -> dict[int, tuple[int, int]]:
    """Map workers to the number of repeated pairs that they answered, and the number with the same answer as before.

    Covers all workers, or those in ``only``, and only work that the crowd confirmed. Two answers of "cannot decide"
    are the same.
    """
    if not campaign.repeats_per_task:
        return {}
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for worker, before, after in _answered_twice(campaign, only):
        # The sides are swapped, so the same preference means the other side.
        undecided = Choice.Side.UNDECIDED in (before, after)
        counts[worker][0] += 1
        counts[worker][1] += (before == after) if undecided else (before != after)
    return {worker: (answered, same) for worker, (answered, same) in counts.items()}


def consistency_of_all(campaign: Campaign) -> tuple[int, int]:
    """Return the counts of :func:`consistency_of`, summed over all workers who are not excluded."""
    counts = consistency_of(campaign)
    standing = Exclusion.objects.standing().filter(campaign=campaign, worker__in=counts)
    out = set(standing.values_list("worker_id", flat=True)) if counts else set()
    kept = [count for worker, count in counts.items() if worker not in out]
    return sum(answered for answered, _ in kept), sum(same for _, same in kept)


def _answered_twice(campaign: Campaign, only: Collection[int] | None) -> list[tuple[int, str, str]]:
    """Return (worker, last choice in the earlier slot, last choice in the repeated slot) for each answered repeat."""
    rows = answered_repeats(campaign).annotate(before=_last("repeats", "side"))
    if only is not None:
        rows = rows.filter(worker__in=only)
    return list(rows.filter(before__isnull=False).values_list("worker_id", "before", "after"))


def answered_repeats(campaign: Campaign) -> QuerySet[Slot, Any]:
    """Return the answered repeats in work that the crowd confirmed, as slots, oldest first.

    Each has its last chosen side (``after``) and the time of that choice (``chosen_at``).
    """
    rows = Slot.objects.filter(
        repeats__isnull=False,
        given_back=False,
        submission__campaign=campaign,
        submission__state=Submission.State.SUBMITTED,
    ).exclude(submission__standing=Submission.Standing.TRIAL)
    told = rows.annotate(after=_last("pk", "side"), chosen_at=_last("pk", "chosen_at"))
    return told.filter(after__isnull=False).order_by("pk")


def _last(slot: str, field: str) -> Subquery:
    """Return a subquery for a field of the last choice made in the slot that the field ``slot`` names."""
    made = Choice.objects.filter(slot=OuterRef(slot)).order_by("-chosen_at", "-sequence")
    return Subquery(made.values(field)[:1])
