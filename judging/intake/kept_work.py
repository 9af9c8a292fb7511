"""Keep work that our server saved but that can no longer be submitted at the crowd: count it and pay for it.

Work is kept if its time ran out, or if the worker returned the task after submitting it on our page. If the worker
returned the task first, nothing is kept, because the crowd offered the task to others, who are paid for it.

This requires a crowd that signs arrivals and pays for unsubmitted assignments. At other crowds, the worker's id is
only a claim in a URL, and no bonus can be sent. There, a person pays for the work by receipt
(judging/money/unlisted_work.py).
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from config import clock
from judging.campaign.reservations import lock_commitments
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd
from judging.models import Campaign, Payment, Submission
from judging.money.budget import beyond_cap
from judging.money.discrepancies import resolve_only_here
from judging.money.payments import earned_so_far, owe_kept
from judging.rules.deadlines import GRACE
from judging.tasks.lease_ends import free_task
from judging.tasks.slots import free_slots, take_up

FINISHED, LAPSED = Submission.State.FINISHED, Submission.State.LAPSED
#: Workers submit the crowd's form within seconds after ours. Work that is not listed after this time is looked up.
FORM_FOLLOWS = timedelta(seconds=30)


def work_to_keep(campaign: Campaign) -> list[Submission]:
    """Return finished or timed-out work that was never collected. :func:`is_over` decides whether it can be kept."""
    if not crowd_for(campaign).pays_unsubmitted or campaign.state == Campaign.State.CLOSED:
        return []
    paid, now = Payment.objects.filter(submission=OuterRef("pk")), clock.now()
    over = Submission.objects.filter(
        Q(crowd_ends_at__lte=now - GRACE) | Q(state=FINISHED, finished_at__lte=now - FORM_FOLLOWS),
        campaign=campaign,
        state__in=[FINISHED, LAPSED],
        finished_at__isnull=False,
        taken_at__isnull=False,
    )
    over = over.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(paid)).order_by("pk")
    return list(over.select_related("worker", "task", "campaign", "place__posting")[:500])


def accepted_but_unsettled(campaign: Campaign) -> list[Submission]:
    """Return kept work that was accepted by a process that ended before it decided whether the work counts."""
    kept = Payment.objects.filter(submission=OuterRef("pk"), kind=Payment.Kind.COMPENSATION)
    accepted = Submission.objects.filter(
        Exists(kept),
        campaign=campaign,
        state=Submission.State.SUBMITTED,
        standing=Submission.Standing.PENDING,
        collected_at__isnull=False,
    )
    return list(accepted.select_related("worker", "task", "campaign").order_by("pk"))


def is_over(crowd: Crowd, submission: Submission) -> bool:
    """Ask the crowd whether this work has ended, so that it can be kept.

    If the worker returned the task before submitting it on our page, give the work up and return False.
    """
    assert submission.finished_at is not None
    assert submission.crowd_ends_at is not None
    returned = crowd.returned_at(submission.assignment_id)
    if returned is None:
        return submission.crowd_ends_at <= clock.now() - GRACE
    if returned < submission.finished_at:
        _give_up(submission)
        return False
    return True


@transaction.atomic
def _give_up(submission: Submission) -> None:
    """End the work as returned, so that its judgments are not used and nothing is paid."""
    still = Submission.objects.filter(pk=submission.pk, collected_at=None, state__in=[FINISHED, LAPSED])
    if still.update(state=Submission.State.RETURNED):
        free_task(submission)
        free_slots(Submission.objects.filter(pk=submission.pk))


@transaction.atomic
def accept_kept_work(campaign: Campaign, submission: Submission) -> bool:
    """Accept kept work and record the pay owed. Safe to call concurrently.

    Return False if no pair was judged, if the budget is too low, or if the work was collected meanwhile.
    """
    _, judged, shown, earned, _ = earned_so_far(submission)
    cost = earned + crowd_for(campaign).fees.on(earned)
    if not judged:
        return False
    waiting = Submission.objects.filter(pk=submission.pk, collected_at=None, state__in=[FINISHED, LAPSED])
    if not waiting.update(
        state=Submission.State.SUBMITTED, submitted_at=F("finished_at"), collected_at=clock.now()
    ):
        return False
    lock_commitments(campaign)
    if beyond_cap(campaign, cost):
        transaction.set_rollback(True)
        return False
    take_up(submission)
    resolve_only_here(submission)
    owe_kept(campaign, submission)
    submission.refresh_from_db()
    return True
