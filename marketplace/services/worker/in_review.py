"""A worker's submitted tasks that have not been paid yet."""

from dataclasses import dataclass
from datetime import datetime

from marketplace.models import Assignment, Worker
from marketplace.protocol.question import read_answers
from marketplace.rules import promises
from marketplace.rules.offers import read_offer
from marketplace.rules.promises import PayToCome


@dataclass(frozen=True)
class InReview:
    """A worker's tasks in review: their number and their pay in cents.

    ``reviewed_by`` is the time by which all of them will have been approved automatically. ``sure`` says whether the
    pay is exact, not a maximum.
    """

    count: int
    reviewed_by: datetime | None
    cents: int
    sure: bool

    @property
    def total(self) -> str:
        """The pay as text: ``$1.04``, or ``up to $2.00`` if it is not exact."""
        return promises.amount_words(self.cents, sure=self.sure)


def in_review_of(worker: Worker) -> InReview:
    """Return a summary of the worker's tasks in review."""
    waiting = Assignment.objects.filter(worker=worker, status=Assignment.Status.SUBMITTED)
    rows = list(waiting.select_related("hit__hit_type").prefetch_related("bonuses"))
    parts = [coming_for(row) for row in rows]
    return InReview(
        count=len(rows),
        reviewed_by=max((row.auto_approval_at for row in rows if row.auto_approval_at), default=None),
        cents=sum(part.cents for part in parts),
        sure=all(part.sure for part in parts),
    )


def coming_for(row: Assignment) -> PayToCome:
    """Return the pay that is still expected for a submitted task."""
    if row.status == Assignment.Status.REJECTED:
        return PayToCome()
    kind = row.hit.hit_type
    offer = read_offer(kind.reward_cents, kind.keywords)
    return promises.pay_to_come(
        read_answers(row.answer).get(promises.FIELD, ""),
        reward_cents=kind.reward_cents,
        usual_bonus_cents=offer.bonus_cents,
        bonuses_cents=sum(bonus.amount_cents for bonus in row.bonuses.all()),
        approved=row.status == Assignment.Status.APPROVED,
        always_says=offer.promises_in_answer,
    )
