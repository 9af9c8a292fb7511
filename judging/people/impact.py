"""Predict how a decision affects tasks, judgments, dollars and gold pairs, without changing anything."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from judging.campaign.cost import money, quote_tasks
from judging.intake.screened_work import forgiven
from judging.models import (
    Campaign,
    GoldPair,
    Judgment,
    Payment,
    Place,
    Posting,
    Slot,
    Submission,
    Task,
    TaskPair,
    Worker,
)
from judging.money.budget import cap_of, room_for
from judging.rules.pay import rounded


@dataclass(frozen=True)
class ExclusionForeseen:
    """The predicted effect of excluding a worker. Dollars include fees.

    - ``judgments``: the number of judgments that stop counting
    - ``done`` and ``held``: the numbers of the worker's tasks in these states; both kinds are offered
      again
    - ``cost``: the dollars for these repeats
    - ``gold``: the number of gold pairs that the repeats need; ``gold_accepted``: the number that the
      campaign has
    - ``paid``: the dollars paid or owed for the worker's tasks, which an exclusion does not change
    - ``room``: the number of places that the budget can still pay for, or None without a limit
    - ``offered``: whether the campaign is offering tasks now
    """

    judgments: int
    done: int
    held: int
    cost: Decimal
    gold: int
    gold_accepted: int
    paid: Decimal
    room: int | None
    offered: bool

    @property
    def repeated(self) -> int:
        """The number of tasks that others have to repeat."""
        return self.done + self.held

    @property
    def beyond_budget(self) -> int:
        """The number of repeats that exceed the budget."""
        return 0 if self.room is None else max(0, self.repeated - self.room)


@dataclass(frozen=True)
class ReinstatementForeseen:
    """The predicted effect of reversing an exclusion.

    - ``counted``: the number of submissions that count again, and ``judgments``: the number of their
      judgments
    - ``saved``: the dollars that are not spent on repeats
    - ``surplus``: the number of good submissions whose tasks others did or are doing
    - ``other``: the number of submissions that do not count for another reason
    - ``forgiven``: the number of failed gold answers that no longer count against the worker
    """

    counted: int
    judgments: int
    surplus: int
    other: int
    saved: Decimal
    forgiven: int


def foresee_exclusion(campaign: Campaign, worker: Worker) -> ExclusionForeseen:
    """Predict the effect of :func:`judging.people.exclusions.exclude_worker`."""
    tasks = Task.objects.filter(campaign=campaign, holder__worker=worker).aggregate(
        done=Count("pk", filter=Q(state=Task.State.DONE)), held=Count("pk", filter=Q(state=Task.State.HELD))
    )
    repeated = tasks["done"] + tasks["held"]
    earned = Payment.objects.filter(submission__campaign=campaign, submission__worker=worker).exclude(
        state__in=[Payment.State.REJECTED, Payment.State.HELD]
    )
    accepted = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.ACCEPTED)
    return ExclusionForeseen(
        judgments=Judgment.objects.filter(campaign=campaign, worker=worker).counted().count(),
        cost=quote_tasks(campaign, repeated).total,
        gold=repeated * campaign.gold_per_task,
        gold_accepted=accepted.count(),
        paid=rounded(Decimal(earned.aggregate(sum=Sum(F("amount") + F("fee"), default=Decimal(0)))["sum"])),
        room=room_for(campaign),
        offered=campaign.state in Campaign.OFFERING,
        **tasks,
    )


def foresee_reinstatement(campaign: Campaign, worker: Worker) -> ReinstatementForeseen:
    """Predict the effect of :func:`judging.people.exclusions.reinstate_worker`.

    By the rules of :func:`judging.intake.collection.settle_submission`, a submission with all gold pairs answered
    counts again if its task is still waiting and has the same pairs, unless it belongs to a pilot that does not
    count. Only one submission per task counts.
    """
    work = Submission.objects.filter(
        campaign=campaign, worker=worker, standing=Submission.Standing.EXCLUDED, collected_at__isnull=False
    )
    unanswered = Slot.objects.filter(
        submission=OuterRef("pk"), gold_pair__isnull=False, gold_answer__isnull=True
    )
    whole = work.exclude(Exists(unanswered))
    if not campaign.pilot_counts:
        whole = whole.exclude(place__posting__purpose=Posting.Purpose.PILOT)
    whole = whole.annotate(shown=Count("slots", filter=Q(slots__pair__isnull=False), distinct=True))
    rows = list(whole.order_by("pk").values_list("pk", "task_id", "task__state", "shown"))
    asked = dict(
        TaskPair.objects.filter(task__in=[task for _, task, *_ in rows])
        .values_list("task")
        .annotate(Count("pk"))
        .order_by()
    )
    free: dict[int, int] = {}
    for key, task, state, shown in rows:
        if task is not None and state == Task.State.WAITING and shown == asked.get(task):
            free.setdefault(task, key)
    return ReinstatementForeseen(
        counted=len(free),
        judgments=Judgment.objects.filter(submission__in=free.values()).count(),
        surplus=len(rows) - len(free),
        other=work.count() - len(rows),
        saved=quote_tasks(campaign, len(free)).total,
        forgiven=_forgiven_next(campaign, worker),
    )


def _forgiven_next(campaign: Campaign, worker: Worker) -> int:
    """Return how many failed gold answers count against the worker now but not after a reinstatement."""
    standing = worker.exclusions.filter(campaign=campaign, reversed_at=None)
    rests_on = set(standing.exclude(gold_answers=None).values_list("gold_answers", flat=True))
    return len(rests_on - set(forgiven(campaign, worker).values_list("gold_answers", flat=True)))


@dataclass(frozen=True)
class Standstill:
    """The numbers to show before a campaign is paused, resumed or closed. Dollars include fees.

    - ``waiting``: the number of free tasks
    - ``held``: the number of tasks that workers can finish
    - ``offered``: the number of places that would be taken down
    - ``unconfirmed``: the number of held tasks that are finished here but not yet in the crowd's list
    - ``spent``: the dollars paid, and ``owed``: the dollars that are paid in any case
    - ``promised``: the cost of live places
    - ``rest``: the cost of all unfinished tasks, and ``held_cost``: the cost of the held ones
    - ``committed``: the dollars that count against the ``cap``, which is None without a limit
    """

    waiting: int
    held: int
    offered: int
    unconfirmed: int
    spent: Decimal
    owed: Decimal
    promised: Decimal
    rest: Decimal
    cap: Decimal | None
    committed: Decimal
    held_cost: Decimal

    @property
    def used(self) -> Decimal:
        """The dollars that are paid or owed."""
        return self.spent + self.owed


def foresee_standstill(campaign: Campaign) -> Standstill:
    """Return the numbers to show before the campaign is paused, resumed or closed, as of now."""
    tasks = dict(campaign.tasks.values_list("state").annotate(Count("pk")).order_by())
    waiting, held = tasks.get(Task.State.WAITING, 0), tasks.get(Task.State.HELD, 0)
    live = Place.objects.filter(posting__campaign=campaign, state__in=Place.LIVE).count()
    sums = money(campaign)
    sent_off = Submission.objects.filter(campaign=campaign, state=Submission.State.FINISHED)
    return Standstill(
        waiting=waiting,
        held=held,
        offered=max(0, live - held),
        unconfirmed=sent_off.filter(held_task__isnull=False).count(),
        spent=sums["spent"],
        owed=sums["owed"],
        promised=sums["promised"],
        rest=quote_tasks(campaign, waiting + held).total,
        cap=cap_of(campaign),
        committed=sums["committed"],
        held_cost=quote_tasks(campaign, held).total,
    )
