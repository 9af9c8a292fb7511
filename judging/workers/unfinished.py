"""Tasks that a worker opened and left without submitting a judged pair. After several in a row, no more are offered.

Each holds a place that others could have, and produces nothing. A task returned with judged pairs counts half,
because people are interrupted and can continue it later. Submitting a task with a judged pair restarts the count, and
so can a person. Tasks that only an address links to a worker do not count, or others could use up the limit.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from config import clock
from judging.campaign.campaigns import log_change
from judging.models import (
    Campaign,
    Choice,
    Consent,
    Discrepancy,
    Payment,
    Submission,
    Worker,
    WorkerInCampaign,
)


@dataclass(frozen=True)
class Unfinished:
    """A worker's tasks in a row without a submitted pair: ``empty`` ones, at most ``most`` (0: no limit), and
    ``begun`` ones that were returned with judged pairs, of which twice as many are allowed."""

    empty: int
    begun: int
    most: int

    @property
    def count(self) -> int:
        return self.empty + self.begun

    @property
    def left(self) -> int:
        """Return how many more empty tasks are allowed."""
        return max(0, self.most - self.empty - self.begun // 2)

    @property
    def stopped(self) -> bool:
        """Return whether the worker gets no further task."""
        return bool(self.most) and not self.left


def unfinished_of(campaign: Campaign, worker: Worker) -> Unfinished:
    """Count the tasks in a row that this worker left without submitting a judged pair."""
    work = Submission.objects.filter(campaign=campaign, worker=worker)
    judged = Exists(Choice.objects.filter(slot__submission=OuterRef("pk")))
    since = work.filter(judged, state=Submission.State.SUBMITTED).aggregate(last=Max("opened_at"))["last"]
    allowed = WorkerInCampaign.objects.filter(campaign=campaign, worker=worker)
    again = allowed.values_list("allowed_again_at", flat=True).first()
    for moment in filter(None, (since, again)):
        work = work.filter(opened_at__gt=moment)
    return Unfinished(empty_work(work).count(), begun_work(work).count(), settings.MOST_UNFINISHED)


def begun_work(work: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return tasks that were returned with some pairs judged. They are unpaid, and their choices are not used."""
    judged = Exists(Choice.objects.filter(slot__submission=OuterRef("pk")))
    returned = work.filter(judged, state=Submission.State.RETURNED, taken_at__isnull=False)
    return returned.exclude(standing=Submission.Standing.TRIAL)


def empty_work(work: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return tasks that the worker ended without a judged pair.

    Leaves out tasks without consent, unsigned ones, and those whose form claims choices that our page did not save,
    because the network may have failed. Also leaves out work that our records lack but the form proves.
    """
    agreed = Exists(Consent.objects.filter(submission=OuterRef("pk")))
    given_up = Q(state__in=[Submission.State.RETURNED, Submission.State.LAPSED], taken_at__isnull=False)
    judged = Choice.objects.filter(slot__submission=OuterRef("pk"))
    claims = Discrepancy.objects.filter(
        submission=OuterRef("pk"), kind=Discrepancy.Kind.ONLY_THERE, detail__answered__gt=0
    )
    unpaid = Payment.objects.filter(
        submission=OuterRef("pk"), state__in=[Payment.State.HELD, Payment.State.REJECTED]
    )
    work = work.exclude(Q(standing=Submission.Standing.UNKNOWN) & ~Exists(unpaid))
    ended = work.filter((given_up & agreed) | Q(state=Submission.State.SUBMITTED))
    return ended.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(judged)).exclude(Exists(claims))


def allow_again(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> None:
    """Offer tasks again to a worker who left too many unfinished. Earlier ones no longer count."""
    changes = {"allowed_again_at": clock.now(), "allowed_again_by": who, "allowed_again_why": why}
    WorkerInCampaign.objects.update_or_create(campaign=campaign, worker=worker, defaults=changes)
    log_change(campaign, f"worker {worker.pk} offered tasks again", why=why, who=who)
