"""What workers say: reports of pairs with the texts that were shown, and appeals; waiting, or all there were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, Subquery

from judging.models import Appeal, Campaign, Choice, Exclusion, PairReport, Submission
from judging.services.showing import text_of

REPORTS_A_PAGE = 20
APPEALS_A_PAGE = 20


@dataclass(frozen=True)
class ReportLine:
    """A report with what the worker saw."""

    report: PairReport
    qid: str
    question: str
    left: str
    right: str
    gold: bool


@dataclass(frozen=True)
class AppealLine:
    """An appeal, the exclusion that stands against the worker, and whether the crowd delivers a message to them."""

    appeal: Appeal
    exclusion: Exclusion | None
    reachable: bool


def reports_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Reports and appeals, page by page; ``show=all`` has those that were settled, too."""
    everything = parameters.get("show") == "all"
    reports = PairReport.objects.filter(submission__campaign=campaign).order_by("settled_at", "pk")
    appeals = Appeal.objects.filter(campaign=campaign).select_related("worker").order_by("settled_at", "pk")
    if not everything:
        reports, appeals = reports.filter(settled_at=None), appeals.filter(settled_at=None)
    related = ("slot__pair__query", "slot__gold_pair__query", "slot__left", "slot__right", "submission")
    last = Choice.objects.filter(slot=OuterRef("slot")).order_by("-chosen_at", "-sequence").values("side")[:1]
    shown = reports.select_related(*related).annotate(chosen=Subquery(last))
    page: Page[Any] = Paginator(shown, REPORTS_A_PAGE).get_page(parameters.get("page"))
    spoken: Page[Appeal] = Paginator(appeals, APPEALS_A_PAGE).get_page(parameters.get("appeals"))
    return {
        "campaign": campaign,
        "everything": everything,
        "page": page,
        "reports": [_line(campaign, report) for report in page.object_list],
        "appeals_page": spoken,
        "appeals": _appeals(campaign, list(spoken.object_list)),
    }


def _line(campaign: Campaign, report: PairReport) -> ReportLine:
    slot = report.slot
    of = slot.pair or slot.gold_pair
    assert of is not None
    left, right = text_of(campaign, slot.left), text_of(campaign, slot.right)
    return ReportLine(report, of.query.qid, of.query.text, left, right, slot.gold_pair_id is not None)


def _appeals(campaign: Campaign, rows: list[Appeal]) -> list[AppealLine]:
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
    return [AppealLine(row, out.get(row.worker_id), row.worker_id in reachable) for row in rows]
