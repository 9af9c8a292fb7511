"""Data of worker pages: the list, one worker's tasks and judgments, and messages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.http import Http404

from config import clock
from judging.errors import CampaignRefused
from judging.exchange.cached_figures import kept_figures
from judging.intake.screened_work import SUSPENSION
from judging.intake.worker_records import Records, WorkerRecord, records_of
from judging.models import (
    Appeal,
    Campaign,
    Choice,
    Exclusion,
    GoldAnswer,
    Judgment,
    Payment,
    Submission,
    Worker,
    WorkerMessage,
)
from judging.people.rights import has_withdrawn, withdrawal_until
from judging.rules.behavior_flags import Usual
from judging.rules.reading_speed import is_fast
from judging.workers.unfinished import unfinished_of
from web.common.column_sort import sort_by_column
from web.common.pair_texts import Side, failed_gold, sides_of
from web.workers.reports import reports_of

WORKERS_A_PAGE = 50
TASKS_A_PAGE = 20
JUDGMENTS_A_PAGE = 50
MESSAGES_SHOWN = 20

SORTS: dict[str, Callable[[WorkerRecord], Any]] = {
    "worker": lambda row: row.worker,
    "tasks": lambda row: row.tasks,
    "counted": lambda row: row.counted,
    "gold": lambda row: row.gold_rate,
    "seconds": lambda row: row.seconds_per_pair,
    "left": lambda row: row.left_share,
    "agreement": lambda row: row.agreement,
    "flags": lambda row: len(row.flags),
    "reports": lambda row: row.reports,
    "pay": lambda row: row.pay,
}
#: The numeric columns and their headings.
HEADS = (
    ("tasks", "Tasks"),
    ("counted", "Judgments that count"),
    ("gold", "Gold pairs passed"),
    ("seconds", "Seconds per pair (task time)"),
    ("left", "Left preferred, %"),
    ("agreement", "Agreement with others, %"),
    ("reports", "Reports"),
    ("pay", "Pay, without fees"),
)
FILTERS = {
    "": "all",
    "flagged": "with flags, not excluded",
    "at work": "at work now",
    "excluded": "excluded",
    "withdrawn": "withdrew their judgments",
    "reported": "who reported pairs",
}
#: The columns for campaigns that grade single passages, which have no sides.
HEADS_FOR_GRADES = tuple(
    (field, {"gold": "Test passages passed", "seconds": "Task seconds per passage"}.get(field, head))
    for field, head in HEADS
    if field != "left"
)
FILTERS_FOR_GRADES = FILTERS | {"reported": "who reported passages"}


def records(campaign: Campaign) -> Records:
    """Return every worker's record. It is cached: decisions show at once, new submissions possibly later."""
    return kept_figures(campaign, "workers", lambda: records_of(campaign)).made


def workers_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Return the list that the address describes; invalid values are ignored."""
    found = parameters.get("q", "").strip()
    chosen = parameters.get("show", "")
    chosen = chosen if chosen in FILTERS else ""
    sort = parameters.get("sort", "worker")
    sort = sort if sort.removeprefix("-") in SORTS else "worker"
    known = records(campaign)
    rows = chosen_records(known, show=chosen, found=found, sort=sort)
    page: Page[WorkerRecord] = Paginator(rows, WORKERS_A_PAGE).get_page(parameters.get("page"))
    return {
        "campaign": campaign,
        "page": page,
        "sort": sort,
        "filters": FILTERS_FOR_GRADES if campaign.grades else FILTERS,
        "heads": HEADS_FOR_GRADES if campaign.grades else HEADS,
        "chosen": chosen,
        "found": found,
        "usual": known.usual,
        "simulated": campaign.submissions.filter(worker__simulated=True).exists(),
        "workers": len(known.rows),
        "flagged": sum(_has_shown_standing(row, "flagged") for row in known.rows),
    }


def chosen_records(known: Records, *, show: str, found: str, sort: str) -> list[WorkerRecord]:
    """Return the records that match a key of FILTERS and the search, sorted by a key of SORTS ("-": descending)."""
    rows = [row for row in known.rows if _has_shown_standing(row, show) and _is_worker_found(row, found)]
    return sort_by_column(rows, sort, SORTS)


def _has_shown_standing(row: WorkerRecord, chosen: str) -> bool:
    if chosen == "flagged":
        return bool(row.flags) and row.standing in ("at work", "idle")
    if chosen == "reported":
        return row.reports > 0
    return not chosen or row.standing == chosen


def _is_worker_found(row: WorkerRecord, words: str) -> bool:
    """Return whether the search matches the worker's number ("12", "worker 12") or a flag's name."""
    if not words:
        return True
    number = words.lower().removeprefix("worker").strip()
    return str(row.worker) == number or any(words.lower() in flag.name for flag in row.flags)


def campaign_worker(campaign: Campaign, key: int) -> Worker:
    """Return the worker if they did anything in this campaign. Raises Http404."""
    here = [
        Exists(rows.objects.filter(campaign=campaign, worker=OuterRef("pk")))
        for rows in (Submission, Appeal, Judgment)
    ]
    worker = Worker.objects.filter(here[0] | here[1] | here[2], pk=key).first() if key < 2**63 else None
    if worker is None:
        raise Http404(f"Worker {key} has not worked on {campaign.name}.")
    return worker


def record_for(campaign: Campaign, worker: Worker) -> tuple[WorkerRecord | None, Usual]:
    """Return the worker's record (None if they only appealed), and the campaign's typical values."""
    known = records(campaign)
    return next((row for row in known.rows if row.worker == worker.pk), None), known.usual


@dataclass(frozen=True)
class JudgmentLine:
    """A judgment with its signals.

    ``others``: number of other workers' counted judgments of the pair. ``agreeing``: how many of these agree.
    """

    judgment: Judgment
    sides: tuple[Side, ...]
    seconds: float | None
    fast: bool
    others: int
    agreeing: int


def worker_page(campaign: Campaign, worker: Worker, parameters: Any) -> dict[str, Any]:
    """Return one worker's record, decisions, tasks, judgments, reports, messages and appeal."""
    record, usual = record_for(campaign, worker)
    tasks: Page[Submission] = Paginator(_submissions_of_worker(campaign, worker), TASKS_A_PAGE).get_page(
        parameters.get("tasks")
    )
    _add_figures(list(tasks.object_list))
    judgments: Page[Judgment] = Paginator(_judgments_of_worker(campaign, worker), JUDGMENTS_A_PAGE).get_page(
        parameters.get("judgments")
    )
    decisions = list(decisions_about(campaign, worker))
    withdrawn = has_withdrawn(campaign, worker)  # those judgments can never count again
    return {
        "campaign": campaign,
        "worker": worker,
        "record": record,
        "usual": usual,
        "tasks": tasks,
        "judgments": judgments,
        "lines": _judgment_lines_of(campaign, worker, list(judgments.object_list)),
        "decisions": decisions,
        "undo": decisions[0] if not withdrawn and may_undo(decisions[0] if decisions else None) else None,
        **worker_standing(campaign, worker),
        "withdrawn": withdrawn,
        "gold": failed_gold(campaign, worker),
        "reports": reports_of(campaign, worker),
        "appeal": Appeal.objects.filter(campaign=campaign, worker=worker).first(),
        "messages_kept": list(messages_with_worker(campaign, worker)[:MESSAGES_SHOWN]),
    }


def decisions_about(campaign: Campaign, worker: Worker) -> Any:
    """Return the worker's exclusions, including revoked exclusions, newest first."""
    rows = Exclusion.objects.filter(campaign=campaign, worker=worker)
    return rows.annotate(failed=Count("gold_answers")).order_by("-pk")


def _submissions_of_worker(campaign: Campaign, worker: Worker) -> Any:
    """Return the worker's submissions, newest first, without trials."""
    rows = Submission.objects.filter(campaign=campaign, worker=worker).select_related("task")
    return rows.exclude(standing=Submission.Standing.TRIAL).order_by("-pk")


def _add_figures(rows: list[Any]) -> None:
    """Add each submission's judgments, passed gold pairs, pay and minutes to its row, in three database queries."""
    judged = Judgment.objects.filter(submission__in=rows).values_list("submission")
    gold = GoldAnswer.objects.filter(submission__in=rows).values_list("submission")
    not_theirs = [Payment.State.REJECTED, Payment.State.HELD]
    paid = Payment.objects.filter(submission__in=rows).exclude(state__in=not_theirs)
    judgments = dict(judged.annotate(Count("pk")).order_by())
    answers = {
        key: rest
        for key, *rest in gold.annotate(all=Count("pk"), good=Count("pk", filter=Q(passed=True))).order_by()
    }
    amounts = dict(paid.values_list("submission").annotate(Sum("amount")).order_by())
    for row in rows:
        row.judged = judgments.get(row.pk, 0)
        row.gold_seen, row.gold_passed = answers.get(row.pk, (0, 0))
        row.dollars = amounts.get(row.pk)
        ended = row.finished_at or row.submitted_at
        row.minutes = max(0.0, (ended - row.opened_at).total_seconds()) / 60 if ended else None


def _judgments_of_worker(campaign: Campaign, worker: Worker) -> Any:
    related = ("pair__query", "left", "right", "preferred", "submission")
    return Judgment.objects.filter(campaign=campaign, worker=worker).select_related(*related).order_by("-pk")


def _judgment_lines_of(campaign: Campaign, worker: Worker, rows: list[Judgment]) -> list[JudgmentLine]:
    shown = dict(
        Choice.objects.filter(slot__in=[row.slot_id for row in rows if row.slot_id])
        .values_list("slot")
        .annotate(sum=Sum("seconds_shown"))
        .order_by()
    )
    others: dict[int, list[tuple[int | None, int | None]]] = {row.pair_id: [] for row in rows}
    counted = Judgment.objects.filter(campaign=campaign, pair__in=list(others)).exclude(worker=worker)
    for pair, *answer in counted.counted().values_list("pair_id", "preferred_id", "grade"):
        others[pair].append((answer[0], answer[1]))
    lines = []
    for row in rows:
        seconds = shown.get(row.slot_id) if row.slot_id else None
        sides = sides_of(campaign, row, chosen=row.preferred_id)
        fast = seconds is not None and is_fast(seconds, *(side.text for side in sides))
        same = others[row.pair_id].count((row.preferred_id, row.grade))
        lines.append(JudgmentLine(row, sides, seconds, fast, len(others[row.pair_id]), same))
    return lines


def messages_with_worker(campaign: Campaign, worker: Worker) -> Any:
    """Return messages to and from the worker, newest first."""
    return WorkerMessage.objects.filter(campaign=campaign, worker=worker).order_by("-pk")


def worker_standing(campaign: Campaign, worker: Worker) -> dict[str, Any]:
    """Return the worker's current exclusion, their unfinished tasks, and whether messages can reach them."""
    came_in = Submission.objects.filter(
        campaign=campaign, worker=worker, state=Submission.State.SUBMITTED, worker__identity__isnull=False
    )
    return {
        "standing": Exclusion.objects.standing().filter(campaign=campaign, worker=worker).first(),
        "unfinished": unfinished_of(campaign, worker),
        "reachable": came_in.exists(),
    }


def withdrawal_of(campaign: Campaign, worker: Worker) -> dict[str, Any]:
    """Return the deadline to withdraw judgments, whether it has passed, and whether they were withdrawn."""
    try:
        until = withdrawal_until(campaign, worker)
    except CampaignRefused:  # the worker only appealed
        until = None
    return {
        "until": until,
        "over": until is not None and clock.now() > until,
        "withdrawn": has_withdrawn(campaign, worker),
    }


def may_undo(decision: Exclusion | None) -> bool:
    """Return whether a person made the decision within the last hour, so that one button can undo it."""
    if decision is None:
        return False
    at = decision.reversed_at or decision.decided_at
    by = decision.reversed_by if decision.reversed_at else decision.decided_by
    return by not in ("", SUSPENSION) and (clock.now() - at).total_seconds() < 3600
