"""Records of a campaign's workers: their work, gold pairs, sides, agreement, speed, reports, pay and flags.

The number of database queries does not depend on the number of workers. A worker is listed under our own key, which
identifies nobody and is the same on every page, in commands and in the log. Crowd ids do not appear here.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from statistics import median
from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce

from judging.campaign.reading_time import least_seconds_a_pair
from judging.models import (
    Campaign,
    Exclusion,
    GoldAnswer,
    GoldPair,
    Judgment,
    PairReport,
    Payment,
    Submission,
    Worker,
)
from judging.models.judgments import SAME_ANSWER
from judging.rules.behavior_flags import Behavior, Flag, Usual, flags_of, usual_among
from judging.rules.pay import rounded
from judging.rules.wilson import wilson
from judging.tasks.evidence import seconds_on_screen
from judging.tasks.repeated_pairs import consistency_of
from judging.workers.work_history import is_begun, is_empty

COUNTED = Submission.Standing.COUNTED
HELD = Submission.State.HELD
#: The condition for judgments that were made elsewhere, or by a worker whose id the crowd confirmed.
CONFIRMED = Q(submission__state=Submission.State.SUBMITTED) | Q(submission=None)

#: Rows by worker: the worker's key under "worker", and other values under the names of a record's fields.
Figures = Iterable[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class WorkerRecord(Behavior):
    """One worker in a campaign.

    Shares are None if there is no data; times are medians; dollars are without fees.

    - ``compared``: the number of comparisons with counted judgments of others on the same pairs
    - ``agreeing``: the number of these comparisons in which both judgments agree
    - ``repeated``: the number of repeated pairs that the worker answered again
    - ``repeated_same``: the number of repeated pairs that got the same answer both times
    """

    worker: int
    standing: str
    """``at work`` (has a task that the crowd has not listed yet), ``idle``, ``excluded`` or ``withdrawn``."""
    reason: str
    simulated: bool
    held: int = 0
    counted: int = 0
    reports: int = 0
    paid: Decimal = Decimal(0)
    owed: Decimal = Decimal(0)
    flags: tuple[Flag, ...] = ()

    @property
    def left_share(self) -> float | None:
        return self.left / self.decided if self.decided else None

    @property
    def agreement(self) -> float | None:
        return self.agreeing / self.compared if self.compared else None

    @property
    def consistency(self) -> float | None:
        return self.repeated_same / self.repeated if self.repeated else None

    @property
    def consistency_bounds(self) -> tuple[float, float] | None:
        """The 95% Wilson interval of the consistency."""
        return wilson(self.repeated_same, self.repeated)

    @property
    def gold_rate(self) -> float | None:
        return 1 - self.gold_failed / self.gold_seen if self.gold_seen else None

    @property
    def pay(self) -> Decimal:
        """The sum of the dollars paid and owed."""
        return self.paid + self.owed


@dataclass(frozen=True)
class Records:
    """The records of a campaign's workers, sorted by key, and the usual values that their flags compare them with."""

    rows: tuple[WorkerRecord, ...]
    usual: Usual


def records_of(
    campaign: Campaign, *, only: Collection[int] | None = None, usual: Usual | None = None
) -> Records:
    """Compute the records of all workers, or only of those with the keys in ``only``.

    Flags compare a worker with the ``usual`` values (default: those of the computed records).
    """
    tasks, judged = list(_task_figures(campaign, only)), list(_judgment_figures(campaign, only))
    excluded = _only_workers(Exclusion.objects.standing().filter(campaign=campaign), only)
    out = {row.worker_id: row for row in excluded.only("worker", "rule", "reason")}
    keys = sorted({row["worker"] for row in (*tasks, *judged)} | out.keys())
    simulated = set(Worker.objects.filter(pk__in=keys, simulated=True).values_list("pk", flat=True))
    figures: dict[int, dict[str, Any]] = defaultdict(dict)
    for row in chain(
        tasks,
        judged,
        *_figures_of_kinds(campaign, only),
        _gold_figures(campaign, only),
        _agreement_figures(campaign, only),
        _time_figures(campaign, only),
        _repeat_figures(campaign, only),
        _pay_figures(campaign, only),
        _report_figures(campaign, only),
    ):
        figures[row.pop("worker")] |= row
    rows = [
        WorkerRecord(
            worker=key,
            standing=_standing_words(out.get(key), figures[key].get("held", 0)),
            reason=out[key].reason if key in out else "",
            simulated=key in simulated,
            gold_words=campaign.gold_words,
            **figures[key],
        )
        for key in keys
    ]
    usual = usual or _usual(rows, least_seconds_a_pair(campaign))
    return Records(tuple(replace(row, flags=tuple(_flags(row, usual))) for row in rows), usual)


def _only_workers(rows: QuerySet[Any, Any], only: Collection[int] | None, field: str = "worker") -> Any:
    """Filter ``rows`` by these workers; None keeps all rows."""
    return rows if only is None else rows.filter(**{f"{field}__in": only})


def _standing_words(exclusion: Exclusion | None, held: int) -> str:
    if exclusion:
        return "withdrawn" if exclusion.rule == Exclusion.WITHDRAWN else "excluded"
    return "at work" if held else "idle"


def _flags(row: WorkerRecord, usual: Usual) -> list[Flag]:
    """Return the flags of a worker. Simulated workers do not read, so their times raise none."""
    if row.simulated:
        usual = replace(usual, least_seconds_per_pair=None, seconds_per_pair=None)
    return flags_of(row, usual)


def _usual(rows: list[WorkerRecord], least_seconds: float) -> Usual:
    """Return the usual values of workers who are neither excluded nor too fast to have read."""
    known = [row for row in rows if row.standing in ("at work", "idle")]
    read = [row for row in known if row.simulated or (row.seconds_per_pair or least_seconds) >= least_seconds]
    return usual_among(read, least_seconds)


def _task_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    rows = _only_workers(Submission.objects.filter(campaign=campaign), only)
    rows = rows.exclude(standing=Submission.Standing.TRIAL).values("worker").order_by()
    return rows.annotate(
        tasks=Count("pk", filter=Q(state=Submission.State.SUBMITTED)),
        held=Count("pk", filter=Q(state__in=Submission.LIVE)),
        stopped=Count("pk", filter=Q(standing=Submission.Standing.UNFINISHED)),
    )


def _figures_of_kinds(campaign: Campaign, only: Collection[int] | None) -> Iterator[Figures]:
    kinds = {
        "empty": is_empty(),
        "sent_empty": is_empty() & Q(state=Submission.State.SUBMITTED),
        "begun": is_begun(),
    }
    for name, kind in kinds.items():
        rows = _only_workers(Submission.objects.filter(kind, campaign=campaign), only)
        yield rows.values("worker").annotate(**{name: Count("pk")}).order_by()


def _judgment_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    rows = Judgment.objects.filter(CONFIRMED, campaign=campaign, worker__isnull=False)
    counts = (
        _only_workers(rows, only)
        .values("worker")
        .annotate(
            judgments=Count("pk"),
            counted=Count("pk", filter=Q(submission__standing=COUNTED) | Q(submission=None)),
            chose_left=Count("pk", filter=Q(preferred=F("left"))),
            decided=Count("preferred"),
        )
    )
    return ({"left": row.pop("chose_left"), **row} for row in counts.order_by())


def _gold_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    """Return the numbers of gold pairs that each worker answered and failed, without suspended gold pairs."""
    rows = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign)
    rows = _only_workers(rows, only).exclude(gold_pair__state=GoldPair.State.SUSPENDED).values("worker")
    return rows.annotate(gold_seen=Count("pk"), gold_failed=Count("pk", filter=Q(passed=False))).order_by()


def _agreement_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    others = Q(pair__judgments__submission__standing=COUNTED) | Q(pair__judgments__submission=None)
    # Use two comparisons instead of "not the same", which Django turns into a query over all judgments of the pair.
    elsewhere = Q(pair__judgments__worker__lt=F("worker")) | Q(pair__judgments__worker__gt=F("worker"))
    rows = Judgment.objects.filter(elsewhere & others & CONFIRMED, campaign=campaign, worker__isnull=False)
    same = Sum(Case(When(SAME_ANSWER, then=Value(1.0)), default=Value(0.0)))
    return (
        _only_workers(rows, only)
        .annotate(other=F("pair__judgments__preferred"), other_grade=F("pair__judgments__grade"))
        .values("worker")
        .annotate(compared=Count("pk"), agreeing=same)
        .order_by()
    )


def _time_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    """Yield each worker's number of timed whole tasks and median seconds per pair.

    The median seconds are given for the whole time and, if it was measured, for the time on screen.
    """
    done = Submission.objects.filter(
        campaign=campaign,
        state=Submission.State.SUBMITTED,
        left_early=False,
        task__isnull=False,
        resumed_pairs=0,
    ).exclude(standing=Submission.Standing.TRIAL)
    done = _only_workers(done, only)
    screen = seconds_on_screen(done)
    timed: dict[int, list[float]] = defaultdict(list)
    on_screen: dict[int, list[float]] = defaultdict(list)
    pairs, ended_at = campaign.slots_per_task, Coalesce("finished_at", "submitted_at")
    for key, worker, opened, ended in done.values_list("pk", "worker_id", "opened_at", ended_at):
        if ended:
            timed[worker].append(max(0.0, (ended - opened).total_seconds()) / pairs)
            if key in screen:
                on_screen[worker].append(screen[key] / pairs)
    for worker, times in timed.items():
        yield {"worker": worker, "tasks_timed": len(times), "seconds_per_pair": median(times)}
    for worker, times in on_screen.items():
        yield {"worker": worker, "seconds_on_screen": median(times)}


def _repeat_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    for worker, (repeated, same) in consistency_of(campaign, only=only).items():
        yield {"worker": worker, "repeated": repeated, "repeated_same": same}


def _pay_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    states = {"paid": Payment.State.PAID, "owed": Payment.State.OWED}
    sums = {name: Sum("amount", filter=Q(state=state), default=Decimal(0)) for name, state in states.items()}
    rows = _only_workers(Payment.objects.filter(submission__campaign=campaign), only, "submission__worker")
    for row in rows.values(worker=F("submission__worker")).annotate(**sums).order_by():
        yield row | {name: rounded(Decimal(row[name])) for name in states}


def _report_figures(campaign: Campaign, only: Collection[int] | None) -> Figures:
    rows = _only_workers(PairReport.objects.filter(submission__campaign=campaign), only, "submission__worker")
    return rows.values(worker=F("submission__worker")).annotate(reports=Count("pk")).order_by()


def active_workers(campaign: Campaign, since: Any) -> int:
    """Count the workers, except excluded ones, who opened or submitted a task after ``since`` or hold one now."""
    excluded = Exclusion.objects.standing().filter(campaign=campaign).values("worker")
    work = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    work = work.exclude(worker__in=excluded)
    recent = Q(opened_at__gte=since) | Q(finished_at__gte=since) | Q(state=HELD)
    return work.filter(recent).values("worker").distinct().count()
