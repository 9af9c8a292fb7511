"""What a worker has submitted and not been paid yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from marketplace import promises
from marketplace.models import Assignment, Worker
from marketplace.offers import read_offer
from marketplace.promises import Coming
from marketplace.question import read_answers


@dataclass(frozen=True)
class InReview:
    """How many tasks wait for a review, until when at the latest, and the cents that they pay when approved."""

    count: int
    reviewed_by: datetime | None
    cents: int
    sure: bool

    @property
    def total(self) -> str:
        """``$1.04``, or ``up to $2.00``."""
        return promises.in_words(self.cents, sure=self.sure)


def in_review_of(worker: Worker) -> InReview:
    """What of a worker's work waits for a review."""
    waiting = Assignment.objects.filter(worker=worker, status=Assignment.Status.SUBMITTED)
    rows = list(waiting.select_related("hit__hit_type").prefetch_related("bonuses"))
    parts = [coming_for(row) for row in rows]
    return InReview(
        count=len(rows),
        reviewed_by=max((row.auto_approval_at for row in rows if row.auto_approval_at), default=None),
        cents=sum(part.cents for part in parts),
        sure=all(part.sure for part in parts),
    )


def coming_for(row: Assignment) -> Coming:
    """What a submitted task is still to be paid."""
    if row.status == Assignment.Status.REJECTED:
        return Coming()
    kind = row.hit.hit_type
    return promises.coming(
        read_answers(row.answer).get(promises.FIELD, ""),
        reward_cents=kind.reward_cents,
        usual_bonus_cents=read_offer(kind.reward_cents, kind.keywords).bonus_cents,
        bonuses_cents=sum(bonus.amount_cents for bonus in row.bonuses.all()),
        approved=row.status == Assignment.Status.APPROVED,
    )
