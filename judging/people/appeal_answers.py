"""Answers to workers' reports and appeals: those that wait, when answers are due, and decisions."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import translation

from config import clock
from config.guidance import Action, Guidance
from config.row_keys import row_key
from judging.campaign.campaigns import log_change
from judging.errors import BadInput, CampaignRefused
from judging.models import Appeal, Campaign, PairReport
from judging.people.exclusions import Reinstated, reinstate_worker
from judging.rules.durations import after_working_days, working_days
from judging.tasks.answers import final_choices


def answer_times(campaign: Campaign, appeal: Appeal | None) -> dict[str, Any]:
    """Return the context on answer times for a worker's appeal page: the time promised, in the active language.

    For an open appeal, also returns when its answer is due and whether it is overdue.
    """
    times: dict[str, Any] = {"answer_within": working_days(campaign.answer_days, translation)}
    if appeal is None or appeal.settled_at:
        return times
    due = answer_due(campaign, appeal)
    return times | {"answer_due": due, "answer_late": due < clock.now()}


def answer_due(campaign: Campaign, appeal: Appeal) -> datetime:
    """Return the time by which the worker was promised an answer to this appeal."""
    return after_working_days(appeal.made_at, campaign.answer_days)


def overdue(campaigns: Iterable[Campaign]) -> Counter[int]:
    """Map the key of each campaign with overdue appeals to their number."""
    by_key = {campaign.pk: campaign for campaign in campaigns}
    rows = Appeal.objects.filter(campaign__in=by_key, settled_at=None).only("campaign_id", "made_at")
    late = (row.campaign_id for row in rows if answer_due(by_key[row.campaign_id], row) < clock.now())
    return Counter(late)


def overdue_words(campaign: Campaign) -> str:
    """Return a sentence with the campaign's number of overdue appeals, or an empty string if there are none."""
    late = overdue([campaign])[campaign.pk]
    promised = working_days(campaign.answer_days)
    return f"{late:,} overdue: an answer was promised within {promised}." if late else ""


def report_rows(campaign: Campaign, *, settled: bool = False) -> list[dict[str, Any]]:
    """Return the campaign's first 1,000 reports as dicts for JSON: the pair, the problem and the worker's choice.

    The oldest come first. Reports from trials are included, since a reviewer may notice a broken pair. Settled
    reports are included only with ``settled``.
    """
    rows = PairReport.objects.filter(submission__campaign=campaign).order_by("pk")
    if not settled:
        rows = rows.filter(settled_at=None)
    shown = (
        "slot__pair__query", "slot__gold_pair__query", "slot__repeats__pair__query",
        "slot__left", "slot__right", "submission",
    )  # fmt: skip
    return [_report_row(row) for row in rows.select_related(*shown)[:1000]]


def _report_row(row: PairReport) -> dict[str, Any]:
    slot = row.slot
    choice = final_choices(row.submission).get(slot.pk)
    return {
        "report": f"r{row.pk}",
        "kind": row.kind,
        "words": row.words,
        "qid": slot.query.qid,
        "left": slot.left.pid,
        "right": slot.right.pid,
        "gold_pair": slot.gold_pair_id,
        "worker": row.submission.worker_id,
        "submission": row.submission_id,
        "chosen": choice.side if choice else "",
        "at": row.reported_at.isoformat(),
        "settled": row.settled_why if row.settled_at else "",
    }


def appeals(campaign: Campaign, *, settled: bool = False) -> list[dict[str, Any]]:
    """Return the campaign's first 1,000 appeals as dicts for JSON, oldest first.

    Settled appeals are included only with ``settled``. ``confirmed`` says whether the appeal is certainly by this
    worker (:meth:`judging.models.AppealQuerySet.confirmed`); otherwise, the worker's id is only a claim in a URL.
    """
    rows = Appeal.objects.filter(campaign=campaign).order_by("pk")
    if not settled:
        rows = rows.filter(settled_at=None)
    confirmed = set(rows.confirmed().values_list("pk", flat=True))
    return [
        {
            "appeal": f"a{row.pk}",
            "refusal": row.refusal,
            "words": row.words,
            "worker": row.worker_id,
            "confirmed": row.pk in confirmed,
            "at": row.made_at.isoformat(),
            "due": answer_due(campaign, row).isoformat(),
            "overdue": row.settled_at is None and answer_due(campaign, row) < clock.now(),
            "settled": row.settled_why if row.settled_at else "",
        }
        for row in rows[:1000]
    ]


def waiting(campaigns: Iterable[Campaign | int]) -> dict[str, Counter[int]]:
    """Count the open reports and appeals of each campaign.

    Returns two mappings from campaign keys to numbers, under the keys ``reports`` and ``appeals``.
    """
    reports = PairReport.objects.filter(submission__campaign__in=campaigns, settled_at=None)
    appeals = Appeal.objects.filter(campaign__in=campaigns, settled_at=None)
    return {
        "reports": _by(reports, "submission__campaign"),
        "appeals": _by(appeals, "campaign"),
    }


def _by(rows: QuerySet[Any], campaign: str) -> Counter[int]:
    return Counter(dict(rows.values_list(campaign).annotate(Count("pk")).order_by()))


@transaction.atomic
def settle_report_or_appeal(campaign: Campaign, name: str, *, why: str, who: str = "") -> None:
    """Settle a report (named like ``r12``) or an appeal (``a3``) with the outcome ``why``.

    The outcome of an appeal is shown to the worker, that of a report only to researchers. Raises CampaignRefused if
    the campaign has no such open report or appeal.
    """
    kind, number = name[:1], name[1:]
    rows = {
        "r": PairReport.objects.filter(submission__campaign=campaign),
        "a": Appeal.objects.filter(campaign=campaign),
    }.get(kind)
    done = rows is not None and rows.filter(pk=row_key(number), settled_at=None).update(
        settled_at=clock.now(), settled_by=who, settled_why=why.strip()
    )
    if not done:
        raise CampaignRefused(
            f"{campaign.name} has no open report or appeal {name}.",
            Guidance(Action("reports", campaign.name, lead=""), " lists them."),
        )


@transaction.atomic
def answer_appeal(
    campaign: Campaign, appeal: Appeal, *, why: str, reinstate: bool, who: str = ""
) -> Reinstated | None:
    """Settle the appeal with the answer ``why``, and with ``reinstate`` also reverse the worker's exclusion.

    Returns the result of the reversal, if any. If one step fails, nothing changes. The next collection notifies the
    worker. Raises BadInput for an empty answer, and CampaignRefused if the appeal is already settled or there is no
    exclusion to reverse.
    """
    if not why.strip():
        raise BadInput("Write an answer. The worker will read it.")
    settle_report_or_appeal(campaign, f"a{appeal.pk}", why=why, who=who)
    done = reinstate_worker(campaign, appeal.worker, why=why, who=who) if reinstate else None
    log_change(campaign, f"appeal of worker {appeal.worker_id} answered", why=why, who=who)
    return done
