"""Tasks that a worker opened and left without judging a pair: after some in a row no more are offered.

Each holds a place that others could have, and is worth nothing to anybody. One task sent off with a judged pair
starts the count anew, and so does a person. What only an address says of a worker never counts: others could use up
the limit.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from config import clock
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
from judging.services.campaigns import log


@dataclass(frozen=True)
class Unfinished:
    """``count`` tasks in a row without a judged pair, of at most ``most`` (0: no limit)."""

    count: int
    most: int

    @property
    def left(self) -> int:
        return max(0, self.most - self.count)

    @property
    def stopped(self) -> bool:
        """Whether no further task is offered."""
        return bool(self.most) and self.count >= self.most


def unfinished_of(campaign: Campaign, worker: Worker) -> Unfinished:
    """How many tasks in a row this worker left without judging a pair."""
    work = Submission.objects.filter(campaign=campaign, worker=worker)
    judged = Exists(Choice.objects.filter(slot__submission=OuterRef("pk")))
    since = work.filter(judged, state=Submission.State.SUBMITTED).aggregate(last=Max("opened_at"))["last"]
    allowed = WorkerInCampaign.objects.filter(campaign=campaign, worker=worker)
    again = allowed.values_list("allowed_again_at", flat=True).first()
    empty = empty_work(work)
    for moment in filter(None, (since, again)):
        empty = empty.filter(opened_at__gt=moment)
    return Unfinished(empty.count(), settings.MOST_UNFINISHED)


def empty_work(work: QuerySet[Submission]) -> QuerySet[Submission]:
    """Those that ended without a judged pair by the worker's doing.

    Not: what was left before consent, what nobody signed, and what claims choices that our page did not save, for
    the network may have failed. Nor what our records do not know, but whose form proved the work behind it.
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
    """Offer tasks again to a worker who left too many unfinished; what was left before does not count any more."""
    changes = {"allowed_again_at": clock.now(), "allowed_again_by": who, "allowed_again_why": why}
    WorkerInCampaign.objects.update_or_create(campaign=campaign, worker=worker, defaults=changes)
    log(campaign, f"worker {worker.pk} offered tasks again", why=why, who=who)
