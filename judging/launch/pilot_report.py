"""The results of a pilot: time, pay, gold pairs that workers missed, and comments."""

import statistics
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from judging.campaign.hourly_pay import posting_seconds, submissions_of_excluded
from judging.models import Campaign, Choice, Exclusion, GoldAnswer, Place, Posting, Submission
from judging.rules.pay import hourly


@dataclass(frozen=True)
class GoldRate:
    """The results of one gold pair in the pilot.

    ``answered`` is the number of answers, and ``passed`` the number of right ones.
    """

    gold_pair: int
    qid: str
    relevant: str
    off_topic: str
    answered: int
    passed: int

    @property
    def rate(self) -> float:
        """The share of answers that were right."""
        return self.passed / self.answered


@dataclass(frozen=True)
class PilotReport:
    """The results of a campaign's last pilot.

    Times are medians in seconds, and pay is in dollars. ``seconds_per_task`` and ``hourly`` are None if no whole task
    was timed. ``simulated`` counts the tasks submitted by simulated workers, whose times do not predict people's.
    """

    wanted: int
    submitted: int
    simulated: int
    timed: int
    seconds_per_task: float | None
    seconds_per_pair: float | None
    hourly: Decimal | None
    counts: bool
    workers: int
    excluded: int
    gold: list[GoldRate]
    comments: list[str]

    def words(self) -> str:
        """Return the number of submitted tasks, the median time and the hourly pay in one line."""
        line = f"{self.submitted} of {self.wanted} tasks submitted"
        if self.simulated:
            line = f"{line}, {self.simulated} of them from simulated workers, whose times are not used"
        if self.seconds_per_task is None or self.hourly is None:
            return line
        return f"{line}; median {self.seconds_per_task / 60:.1f} minutes a task, ${self.hourly:,.2f} an hour"

    def as_dict(self) -> dict[str, Any]:
        """Return the report, ready for JSON."""
        return vars(self) | {
            "hourly": None if self.hourly is None else float(self.hourly),
            "gold": [vars(row) | {"pass_rate": round(row.rate, 4)} for row in self.gold],
        }


def pilot_posting(campaign: Campaign) -> Posting | None:
    return campaign.postings.filter(purpose=Posting.Purpose.PILOT).order_by("-number").first()


def pilot_report(campaign: Campaign) -> PilotReport | None:
    """Return the results so far of the campaign's last pilot, or None if it had no pilot."""
    posting = pilot_posting(campaign)
    if posting is None:
        return None
    work = Submission.objects.filter(place__posting=posting, state=Submission.State.SUBMITTED)
    people = work.filter(worker__simulated=False).exclude(pk__in=submissions_of_excluded(campaign))
    times = posting_seconds(posting)
    seconds = statistics.median(times) if times else None
    workers = work.values("worker").distinct()
    excluded = Exclusion.objects.filter(campaign=campaign, worker__in=workers, reversed_at=None)
    return PilotReport(
        wanted=campaign.pilot_tasks,
        submitted=posting.places.filter(state=Place.State.FILLED).count(),
        simulated=work.filter(worker__simulated=True).count(),
        timed=len(times),
        seconds_per_task=seconds,
        seconds_per_pair=_seconds_per_pair(campaign, people, seconds),
        hourly=None if seconds is None else hourly(campaign.reward, seconds),
        counts=campaign.pilot_counts,
        workers=workers.count(),
        excluded=excluded.count(),
        gold=_gold_rates(work),
        comments=list(work.exclude(comment="").order_by("pk").values_list("comment", flat=True)),
    )


def _seconds_per_pair(
    campaign: Campaign, work: QuerySet[Submission], seconds_per_task: float | None
) -> float | None:
    """Return the median seconds that a pair was on screen.

    If that was not measured, return ``seconds_per_task`` divided by the number of pairs in a task, or None without
    it.
    """
    choices = Choice.objects.filter(slot__submission__in=work, seconds_shown__isnull=False)
    shown = [row["shown"] for row in choices.values("slot").annotate(shown=Sum("seconds_shown")).order_by()]
    if shown:
        return round(statistics.median(shown), 2)
    if seconds_per_task is None:
        return None
    return round(seconds_per_task / campaign.slots_per_task, 2)


def _gold_rates(work: QuerySet[Submission]) -> list[GoldRate]:
    """Return the results of every gold pair answered in these submissions, lowest share of right answers first."""
    names = ("gold_pair", "gold_pair__query__qid", "gold_pair__relevant__pid", "gold_pair__off_topic__pid")
    rows = (
        GoldAnswer.objects.filter(submission__in=work)
        .values_list(*names)
        .annotate(answered=Count("pk"), good=Count("pk", filter=Q(passed=True)))
        .order_by()
    )
    return sorted((GoldRate(*row) for row in rows), key=lambda row: (row.rate, row.gold_pair))
