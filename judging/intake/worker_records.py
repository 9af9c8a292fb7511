"""Records of a campaign's workers: work, gold, sides, agreement, speed, reports, pay and flags.

The number of database queries does not depend on the number of workers. A worker has our own key, which identifies
nobody and is the same on every page, in commands and in the log. Crowd ids do not appear here.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
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
#: Judgments made elsewhere, or by a worker whose id the crowd confirmed.
CONFIRMED = Q(submission__state=Submission.State.SUBMITTED) | Q(submission=None)


@dataclass(frozen=True, kw_only=True)
class WorkerRecord(Behavior):
    """One worker in a campaign. Shares are None if there is no data; times are medians; dollars are without fees.

    ``compared`` counts the comparisons of the worker's judgments with counted judgments of others on the same pair.
    ``agreeing`` is the number that agree; it can contain halves where the others differ. Of ``repeated`` pairs that
    the worker answered again, ``repeated_same`` got the same answer.
    """

    worker: int
    standing: str
    """``at work`` (holds a task), ``idle``, ``excluded`` or ``withdrawn``."""
    reason: str
    held: int
    counted: int
    reports: int
    paid: Decimal
    owed: Decimal
    simulated: bool
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
        """The dollars paid and owed."""
        return self.paid + self.owed


@dataclass(frozen=True)
class Records:
    """All workers of the campaign, by key, and the campaign's usual values, with which flags compare them."""

    rows: tuple[WorkerRecord, ...]
    usual: Usual


def records_of(
    campaign: Campaign, *, only: Collection[int] | None = None, usual: Usual | None = None
) -> Records:
    """Compute the records of all workers, or of ``only`` these, compared with ``usual``, or with each other."""
    rest = (campaign, only)
    kinds = (is_empty(), is_begun(), is_empty() & Q(state=Submission.State.SUBMITTED))
    empty, begun, sent_empty = (_count_tasks_of_kind(kind, *rest) for kind in kinds)
    work, judged, gold = _tasks_by_worker(*rest), _judgments_by_worker(*rest), _gold_by_worker(*rest)
    agreement, times = _agreement_by_worker(*rest), _times_by_worker(*rest)
    money, reports = _pay_by_worker(*rest), _reports_by_worker(*rest)
    excluded = _only_workers(Exclusion.objects.standing().filter(campaign=campaign), only)
    out = {row.worker_id: row for row in excluded.only("worker", "rule", "reason")}
    consistent = consistency_of(campaign, only=only)
    keys = sorted(work.keys() | judged.keys() | out.keys())
    simulated = set(Worker.objects.filter(pk__in=keys, simulated=True).values_list("pk", flat=True))
    rows = []
    for key in keys:
        tasks, held, stopped = work.get(key, (0, 0, 0))
        judgments, counted, left, decided = judged.get(key, (0, 0, 0, 0))
        seen, failed = gold.get(key, (0, 0))
        compared, agreeing = agreement.get(key, (0, 0.0))
        paid, owed = money.get(key, (Decimal(0), Decimal(0)))
        repeated, same = consistent.get(key, (0, 0))
        timed = [seconds for seconds, _ in times.get(key, [])]
        on_screen = [seconds for _, seconds in times.get(key, []) if seconds is not None]
        rows.append(
            WorkerRecord(
                worker=key,
                standing=_standing_words(out.get(key), held),
                reason=out[key].reason if key in out else "",
                tasks=tasks,
                held=held,
                judgments=judgments,
                counted=counted,
                gold_seen=seen,
                gold_failed=failed,
                left=left,
                decided=decided,
                compared=compared,
                agreeing=agreeing,
                tasks_timed=len(timed),
                seconds_per_pair=median(timed) if timed else None,
                seconds_on_screen=median(on_screen) if on_screen else None,
                repeated=repeated,
                repeated_same=same,
                empty=empty.get(key, 0),
                sent_empty=sent_empty.get(key, 0),
                begun=begun.get(key, 0),
                stopped=stopped,
                reports=reports.get(key, 0),
                paid=paid,
                owed=owed,
                simulated=key in simulated,
                gold_words=campaign.gold_words,
            )
        )
    usual = usual or _usual(rows, least_seconds_a_pair(campaign))
    return Records(tuple(replace(row, flags=tuple(_flags(row, usual))) for row in rows), usual)


def _only_workers(rows: QuerySet[Any, Any], only: Collection[int] | None, field: str = "worker") -> Any:
    """Return the rows of these workers, or all rows."""
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


def _tasks_by_worker(campaign: Campaign, only: Collection[int] | None) -> dict[int, tuple[int, int, int]]:
    """Return worker → (submitted tasks, held tasks, tasks submitted before the last gold pair)."""
    rows = _only_workers(Submission.objects.filter(campaign=campaign), only)
    rows = rows.exclude(standing=Submission.Standing.TRIAL)
    counts = rows.values_list("worker").annotate(
        came_in=Count("pk", filter=Q(state=Submission.State.SUBMITTED)),
        held=Count("pk", filter=Q(state__in=[HELD, Submission.State.FINISHED])),
        stopped=Count("pk", filter=Q(standing=Submission.Standing.UNFINISHED)),
    )
    return {worker: tuple(rest) for worker, *rest in counts.order_by()}


def _count_tasks_of_kind(kind: Q, campaign: Campaign, only: Collection[int] | None) -> dict[int, int]:
    """Return worker → number of tasks of this kind."""
    rows = _only_workers(Submission.objects.filter(kind, campaign=campaign), only).values_list("worker")
    return dict(rows.annotate(Count("pk")).order_by())


def _judgments_by_worker(
    campaign: Campaign, only: Collection[int] | None
) -> dict[int, tuple[int, int, int, int]]:
    """Return worker → (judgments, counted, left preferred, decided)."""
    rows = Judgment.objects.filter(CONFIRMED, campaign=campaign, worker__isnull=False)
    rows = _only_workers(rows, only).values_list("worker")
    counts = rows.annotate(
        count=Count("pk"),
        good=Count("pk", filter=Q(submission__standing=COUNTED) | Q(submission=None)),
        chose_left=Count("pk", filter=Q(preferred=F("left"))),
        chose=Count("preferred"),
    )
    return {worker: tuple(rest) for worker, *rest in counts.order_by()}


def _gold_by_worker(campaign: Campaign, only: Collection[int] | None) -> dict[int, tuple[int, int]]:
    """Return worker → (gold pairs answered, failed), without suspended ones."""
    rows = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign)
    rows = _only_workers(rows, only).exclude(gold_pair__state=GoldPair.State.SUSPENDED)
    counts = rows.values_list("worker").annotate(
        count=Count("pk"), failed=Count("pk", filter=Q(passed=False))
    )
    return {worker: (count, failed) for worker, count, failed in counts.order_by()}


def _agreement_by_worker(campaign: Campaign, only: Collection[int] | None) -> dict[int, tuple[int, float]]:
    """Return worker → (comparisons with somebody else's counted judgment on the same pair, how many agree)."""
    others = Q(pair__judgments__submission__standing=COUNTED) | Q(pair__judgments__submission=None)
    # Use two comparisons instead of "not the same", which Django turns into a query over all judgments of the pair.
    elsewhere = Q(pair__judgments__worker__lt=F("worker")) | Q(pair__judgments__worker__gt=F("worker"))
    rows = Judgment.objects.filter(elsewhere & others & CONFIRMED, campaign=campaign, worker__isnull=False)
    counts = (
        _only_workers(rows, only)
        .annotate(other=F("pair__judgments__preferred"), other_grade=F("pair__judgments__grade"))
        .values_list("worker")
        .annotate(count=Count("pk"), same=Sum(Case(When(SAME_ANSWER, then=Value(1.0)), default=Value(0.0))))
    )
    return {worker: (count, same) for worker, count, same in counts.order_by()}


def _times_by_worker(
    campaign: Campaign, only: Collection[int] | None
) -> dict[int, list[tuple[float, float | None]]]:
    """Return worker → seconds per pair for each whole task: from opening the page to submitting, and on screen."""
    done = Submission.objects.filter(
        campaign=campaign,
        state=Submission.State.SUBMITTED,
        left_early=False,
        task__isnull=False,
        resumed_pairs=0,
    ).exclude(standing=Submission.Standing.TRIAL)
    pairs = campaign.slots_per_task
    times: dict[int, list[tuple[float, float | None]]] = defaultdict(list)
    shown = {key: seconds / pairs for key, seconds in seconds_on_screen(_only_workers(done, only)).items()}
    for key, worker, opened, ended in _only_workers(done, only).values_list(
        "pk", "worker_id", "opened_at", Coalesce("finished_at", "submitted_at")
    ):
        if ended:
            times[worker].append((max(0.0, (ended - opened).total_seconds()) / pairs, shown.get(key)))
    return times


def _pay_by_worker(campaign: Campaign, only: Collection[int] | None) -> dict[int, tuple[Decimal, Decimal]]:
    """Return worker → (paid, owed), without fees."""
    sums: dict[int, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    rows = _only_workers(Payment.objects.filter(submission__campaign=campaign), only, "submission__worker")
    rows = rows.values_list("submission__worker", "state")
    for worker, state, amount in rows.annotate(sum=Sum("amount")).order_by():
        sums[worker][state] += rounded(Decimal(amount))
    states = (Payment.State.PAID, Payment.State.OWED)
    return {worker: (of[states[0]], of[states[1]]) for worker, of in sums.items()}


def _reports_by_worker(campaign: Campaign, only: Collection[int] | None) -> dict[int, int]:
    rows = _only_workers(PairReport.objects.filter(submission__campaign=campaign), only, "submission__worker")
    rows = rows.values_list("submission__worker")
    return dict(rows.annotate(Count("pk")).order_by())


def active_workers(campaign: Campaign, since: Any) -> int:
    """Return how many workers opened or submitted a task since then, or hold one, without excluded ones."""
    excluded = Exclusion.objects.standing().filter(campaign=campaign).values("worker")
    work = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    work = work.exclude(worker__in=excluded)
    recent = Q(opened_at__gte=since) | Q(finished_at__gte=since) | Q(state=HELD)
    return work.filter(recent).values("worker").distinct().count()
