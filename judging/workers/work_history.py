"""Reads a worker's submissions in a campaign, in one query, to decide on giving the worker a task."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from config.prepared_queries import Prepared
from judging.models import (
    Campaign,
    Choice,
    Consent,
    Discrepancy,
    GoldAnswer,
    GoldPair,
    Payment,
    Slot,
    Submission,
    Worker,
)

#: The states in which a submission counts toward its worker's limit of tasks.
TAKEN = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]


class Work(NamedTuple):
    """The facts about a submission that decide whether its worker gets another task."""

    pk: int
    assignment_id: str
    task_id: int | None
    place_id: int | None
    posting_id: int | None
    state: str
    opened_at: datetime
    taken_at: datetime | None
    ends_at: datetime | None
    judged: bool
    """Whether at least one choice was saved."""
    empty: bool
    """Whether the worker ended the task without a judged pair (:func:`is_empty`)."""
    begun: bool
    """Whether the worker returned the task with some pairs judged (:func:`is_begun`)."""
    left_early: bool
    """Whether the task was submitted, by its worker or because the time ran out, before every pair was judged."""
    stopped: bool
    """Whether the task was submitted before its last gold pair was judged (:func:`is_stopped`). It is only paid."""
    failed: bool
    """Whether the worker failed a gold pair, in finished work that the crowd has not confirmed yet."""

    @property
    def is_taken(self) -> bool:
        """Whether the submission counts toward the worker's limit of tasks.

        A held task without a choice does not count if its worker is known only from a URL. Otherwise anybody who
        knows the worker's id could use up the limit.
        """
        sure = self.state != Submission.State.HELD or self.place_id is None or self.taken_at is not None
        return self.state in TAKEN and (sure or self.judged)


def submissions_of(campaign: Campaign, worker: Worker) -> list[Work]:
    """Return a worker's submissions in a campaign, in the order of their keys."""
    return [Work(*row) for row in _WORK(campaign.pk, worker.pk)]


def _work_query(campaign: int, worker: int) -> QuerySet[Submission, tuple[Any, ...]]:
    conditions = {
        "judged": Q(_has_choice()),
        "empty": is_empty(),
        "begun": is_begun(),
        "stopped": is_stopped(),
        "failed": _has_failed_gold(),
    }
    flags = {name: ExpressionWrapper(one, BooleanField()) for name, one in conditions.items()}
    work = Submission.objects.filter(campaign=campaign, worker=worker).order_by("pk").annotate(**flags)
    return work.values_list(*("place__posting_id" if name == "posting_id" else name for name in Work._fields))


_WORK = Prepared(_work_query)


def taken_by(work: Iterable[Work], *, beside: int | None = None) -> int:
    """Return the number of tasks that count toward the worker's limit, except the submission with key ``beside``."""
    return sum(one.is_taken for one in work if one.pk != beside)


def is_begun() -> Q:
    """Return the condition for submissions whose task was returned with some pairs judged.

    They are not paid, and their choices are not used unless the worker continues the task later.
    """
    returned = Q(state=Submission.State.RETURNED, taken_at__isnull=False)
    return returned & Q(_has_choice()) & ~Q(standing=Submission.Standing.TRIAL)


def is_stopped() -> Q:
    """Return the condition for tasks that were submitted before their last gold pair was judged. They do not count.

    Tasks submitted on our page are included before the crowd lists them, if it signed the arrival. Otherwise, a
    worker could submit many of them before the next collection.
    """
    unjudged = Slot.objects.filter(submission=OuterRef("pk"), gold_pair__isnull=False, choices=None)
    sent_off = Q(state=Submission.State.FINISHED, taken_at__isnull=False, left_early=True)
    trial = Q(standing=Submission.Standing.TRIAL)
    came_in = Q(state=Submission.State.SUBMITTED, standing=Submission.Standing.UNFINISHED)
    return came_in | (sent_off & ~trial & Q(Exists(unjudged)))


def is_empty() -> Q:
    """Return the condition for submissions that the worker ended without a judged pair.

    Returned and lapsed tasks are left out if the worker did not consent or arrived without a signature. Also left out
    is work whose form has choices that our page did not save: the network may have failed, or our records were lost.
    """
    agreed = Exists(Consent.objects.filter(submission=OuterRef("pk")))
    given_up = Q(state__in=[Submission.State.RETURNED, Submission.State.LAPSED], taken_at__isnull=False)
    claims = Discrepancy.objects.filter(
        submission=OuterRef("pk"), kind=Discrepancy.Kind.ONLY_THERE, detail__answered__gt=0
    )
    unpaid = Payment.objects.filter(
        submission=OuterRef("pk"), state__in=[Payment.State.HELD, Payment.State.REJECTED]
    )
    ended = (given_up & Q(agreed)) | Q(state=Submission.State.SUBMITTED)
    proved = Q(standing=Submission.Standing.UNKNOWN) & ~Q(Exists(unpaid))
    trial = Q(standing=Submission.Standing.TRIAL)
    return ended & ~proved & ~trial & ~Q(_has_choice()) & ~Q(Exists(claims))


def _has_choice() -> Exists:
    return Exists(Choice.objects.filter(slot__submission=OuterRef("pk")))


def _has_failed_gold() -> Q:
    failed = GoldAnswer.objects.filter(submission=OuterRef("pk"), passed=False)
    failed = failed.exclude(gold_pair__state=GoldPair.State.SUSPENDED)
    finished = Q(state=Submission.State.FINISHED) & ~Q(standing=Submission.Standing.TRIAL)
    return finished & Q(Exists(failed))
