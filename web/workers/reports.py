"""Workers' reports of pairs, with the texts that were shown, and appeals: all, or only open ones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, OuterRef, QuerySet, Subquery

from config import clock
from judging.models import Appeal, Campaign, Choice, Exclusion, PairReport, Submission, Worker
from judging.people import appeal_answers
from judging.rules.refusals import REFUSALS
from web.common.pair_texts import Side, sides_of

REPORTS_A_PAGE = 20
APPEALS_A_PAGE = 20
REPORTS_OF_ONE = 50


@dataclass(frozen=True)
class ReportLine:
    """A report, with the pair as the worker saw it."""

    report: PairReport
    qid: str
    question: str
    sides: tuple[Side, ...]
    gold: bool
    chosen: str
    """The side that was last chosen, "undecided", or empty."""


@dataclass(frozen=True)
class AppealLine:
    """An appeal, the worker's current exclusion, and whether the crowd delivers messages to them."""

    appeal: Appeal
    exclusion: Exclusion | None
    reachable: bool
    due: datetime

    @property
    def refused_as(self) -> str:
        """The title of the page that refused the worker."""
        return refusal_title(self.appeal)

    @property
    def overdue(self) -> bool:
        """Whether the promised time for an answer has passed."""
        return self.appeal.settled_at is None and self.due < clock.now()


def refusal_title(appeal: Appeal) -> str:
    """Return the title of the page that refused the worker, in English."""
    page = REFUSALS.get(appeal.refusal)
    return page.title if page else appeal.refusal


def reports_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Return a page of reports and appeals; ``show=all`` includes settled reports and appeals."""
    everything = parameters.get("show") == "all"
    # The oldest open ones come first. Appeals are due in this order.
    open_first = (F("settled_at").asc(nulls_first=True), "pk")
    reports = PairReport.objects.filter(submission__campaign=campaign).order_by(*open_first)
    appeals = Appeal.objects.filter(campaign=campaign).select_related("worker").order_by(*open_first)
    if not everything:
        reports, appeals = reports.filter(settled_at=None), appeals.filter(settled_at=None)
    page: Page[Any] = Paginator(_with_chosen_side(reports), REPORTS_A_PAGE).get_page(parameters.get("page"))
    spoken: Page[Appeal] = Paginator(appeals, APPEALS_A_PAGE).get_page(parameters.get("appeals"))
    return {
        "campaign": campaign,
        "everything": everything,
        "page": page,
        "reports": [_report_line(campaign, report) for report in page.object_list],
        "appeals_page": spoken,
        "appeals": _appeal_lines(campaign, list(spoken.object_list)),
    }


def reports_of(campaign: Campaign, worker: Worker) -> list[ReportLine]:
    """Return the worker's latest reports, newest first."""
    reports = PairReport.objects.filter(submission__campaign=campaign, submission__worker=worker)
    return [
        _report_line(campaign, report)
        for report in _with_chosen_side(reports).order_by("-pk")[:REPORTS_OF_ONE]
    ]


def _with_chosen_side(reports: QuerySet[PairReport]) -> QuerySet[Any]:
    """Return the reports with their related rows and ``chosen``, the side that the worker chose last."""
    related = (
        "slot__pair__query", "slot__gold_pair__query", "slot__repeats__pair__query",
        "slot__left", "slot__right", "submission",
    )  # fmt: skip
    last = Choice.objects.filter(slot=OuterRef("slot")).order_by("-chosen_at", "-sequence").values("side")[:1]
    return reports.select_related(*related).annotate(chosen=Subquery(last))


def _report_line(campaign: Campaign, report: Any) -> ReportLine:
    slot = report.slot
    chosen = {"left": slot.left_id, "right": slot.right_id}.get(report.chosen)
    sides = sides_of(campaign, slot, chosen=chosen, gold=slot.gold_pair)
    gold = slot.gold_pair_id is not None
    return ReportLine(report, slot.query.qid, slot.query.text, sides, gold, report.chosen or "")


def _appeal_lines(campaign: Campaign, rows: list[Appeal]) -> list[AppealLine]:
    workers = [row.worker_id for row in rows]
    standing = Exclusion.objects.standing().filter(campaign=campaign, worker__in=workers)
    out = {one.worker_id: one for one in standing}
    came_in = Submission.objects.filter(
        campaign=campaign,
        worker__in=workers,
        state=Submission.State.SUBMITTED,
        worker__identity__isnull=False,
    )
    reachable = set(came_in.values_list("worker_id", flat=True))
    return [
        AppealLine(
            row,
            out.get(row.worker_id),
            row.worker_id in reachable,
            appeal_answers.answer_due(campaign, row),
        )
        for row in rows
    ]
