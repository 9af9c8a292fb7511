"""What workers say of their own accord: that a pair is broken, or that a refusal is a mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import translation

from config import clock
from judging.durations import after_working_days, working_days
from judging.errors import CampaignRefused
from judging.models import Appeal, Campaign, PairReport, Slot, Submission, Worker
from judging.refusals import REFUSALS
from judging.services.answers import final_choices
from judging.services.working import WorkRefused, check_workable

LONGEST_WORDS = 500
LONGEST_APPEAL = 2000
#: So many appeals of one worker that came by forgeable addresses may wait at a time.
MOST_WAITING = 5


def report_pair(submission: Submission, *, number: int, kind: str, words: str = "") -> PairReport:
    """Record that the worker says something is wrong with a pair; the same kind twice is one report.

    A report changes nothing by itself. Raises WorkRefused when the task is over, or nothing of the kind is shown.
    """
    check_workable(submission)
    slot = Slot.objects.filter(submission=submission, number=number).only("pk").first()
    if slot is None or kind not in PairReport.Kind.values:
        raise WorkRefused("garbled")
    report, new = PairReport.objects.get_or_create(
        slot=slot, kind=kind, defaults={"submission": submission, "words": _kept(words, LONGEST_WORDS)}
    )
    if not new and words.strip():
        PairReport.objects.filter(pk=report.pk).update(words=_kept(words, LONGEST_WORDS))
    return report


def make_appeal(campaign: Campaign, worker: Worker, *, refusal: str, words: str, came_by: str = "") -> bool:
    """Record what a refused worker says to it; False when this worker has said something before, which stands.

    Once for each ``came_by`` (:class:`judging.models.Appeal`). Raises WorkRefused for a refusal that cannot be
    appealed, without words, and for a forgeable way when many appeals of that worker wait.
    """
    page = REFUSALS.get(refusal)
    if page is None or not page.appeal or not words.strip():
        raise WorkRefused("garbled")
    if appeal_of(campaign, worker, came_by):
        return False
    waiting = Appeal.objects.filter(campaign=campaign, worker=worker, settled_at=None).exclude(came_by="")
    if came_by and waiting.count() >= MOST_WAITING:
        raise WorkRefused("enough-said")
    said = {"refusal": refusal, "words": _kept(words, LONGEST_APPEAL)}
    return Appeal.objects.get_or_create(campaign=campaign, worker=worker, came_by=came_by, defaults=said)[1]


def appeal_of(campaign: Campaign, worker: Worker, came_by: str = "") -> Appeal | None:
    """What this worker said to being refused in this campaign, coming by that way.

    Who comes by the crowd's message is the worker, and also finds what was said on a page of the worker's own.
    """
    said = Appeal.objects.filter(campaign=campaign, worker=worker)
    own = said.filter(came_by=came_by).first()
    return own if own or came_by else said.confirmed().order_by("-pk").first()


def answer_times(campaign: Campaign, appeal: Appeal | None) -> dict[str, Any]:
    """Say within which time an objection is answered, until when this one is, and whether that is over.

    In the language spoken now, for the pages on which a worker objects.
    """
    times: dict[str, Any] = {"answer_within": working_days(campaign.answer_days, translation)}
    if appeal is None or appeal.settled_at:
        return times
    due = answer_due(campaign, appeal)
    return times | {"answer_due": due, "answer_late": due < clock.now()}


def answer_due(campaign: Campaign, appeal: Appeal) -> datetime:
    """Until when the worker was promised an answer."""
    return after_working_days(appeal.made_at, campaign.answer_days)


def overdue(campaigns: Iterable[Campaign]) -> Counter[int]:
    """How many appeals of each campaign wait for longer than was promised, by the campaign's key."""
    by_key = {campaign.pk: campaign for campaign in campaigns}
    rows = Appeal.objects.filter(campaign__in=by_key, settled_at=None).only("campaign_id", "made_at")
    late = (row.campaign_id for row in rows if answer_due(by_key[row.campaign_id], row) < clock.now())
    return Counter(late)


def overdue_words(campaign: Campaign) -> str:
    """Say how many appeals wait for longer than was promised; empty when none does."""
    late = overdue([campaign])[campaign.pk]
    promised = working_days(campaign.answer_days)
    return f"{late:,} overdue: an answer was promised within {promised}." if late else ""


def _kept(words: str, most: int) -> str:
    """Words as they are stored: cut, without the null character that no database takes."""
    return words.replace("\0", "").strip()[:most]


def reports(campaign: Campaign, *, settled: bool = False) -> list[dict[str, Any]]:
    """Reports of pairs, oldest first, JSON-ready: the pair, what is said to be wrong, and what its worker chose.

    Of trials, too: a reviewer may see what is broken. Only those that nobody settled, unless ``settled``.
    """
    rows = PairReport.objects.filter(submission__campaign=campaign).order_by("pk")
    if not settled:
        rows = rows.filter(settled_at=None)
    shown = (
        "slot__pair__query", "slot__gold_pair__query", "slot__repeats__pair__query",
        "slot__left", "slot__right", "submission",
    )  # fmt: skip
    return [_report(row) for row in rows.select_related(*shown)[:1000]]


def _report(row: PairReport) -> dict[str, Any]:
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
    """Appeals, oldest first, JSON-ready; only those that nobody settled, unless ``settled``.

    ``confirmed`` when the worker certainly made it (:meth:`judging.models.AppealQuerySet.confirmed`); else the worker
    id is only what the address said.
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
    """How many ``reports`` and ``appeals`` of each campaign nobody has settled, by the campaign's key."""
    reports = PairReport.objects.filter(submission__campaign__in=campaigns, settled_at=None)
    appeals = Appeal.objects.filter(campaign__in=campaigns, settled_at=None)
    return {
        "reports": _by(reports, "submission__campaign"),
        "appeals": _by(appeals, "campaign"),
    }


def _by(rows: QuerySet[Any], campaign: str) -> Counter[int]:
    return Counter(dict(rows.values_list(campaign).annotate(Count("pk")).order_by()))


@transaction.atomic
def settle(campaign: Campaign, name: str, *, why: str, who: str = "") -> None:
    """A person has looked at the report (r12) or appeal (a3) and says what came of it.

    Whoever made the appeal reads ``why``; of a report nobody but researchers does.
    """
    kind, number = name[:1], name[1:]
    rows = {
        "r": PairReport.objects.filter(submission__campaign=campaign),
        "a": Appeal.objects.filter(campaign=campaign),
    }.get(kind)
    key = int(number) if number.isdecimal() and len(number) < 19 else 0
    done = rows is not None and rows.filter(pk=key, settled_at=None).update(
        settled_at=clock.now(), settled_by=who, settled_why=why.strip()
    )
    if not done:
        raise CampaignRefused(
            f"{campaign.name} has no report or appeal {name} that waits.",
            f"manage.py reports {campaign.name} lists them.",
        )
