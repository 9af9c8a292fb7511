"""Work whose time at the crowd ran out after it was judged: it counts and is paid by what our server saved.

Only where the crowd signs who arrives, and pays for an assignment that never came in. Elsewhere the worker's id is
what an address said, and no bonus can be sent: a person pays the work by its receipt (services/receipts.py).
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from config import clock
from judging.crowds import crowd_for
from judging.deadlines import GRACE
from judging.models import Campaign, Payment, Submission
from judging.services.budget import beyond_cap
from judging.services.payments import earned_so_far, owe_kept
from judging.services.reconciling import resolve_only_here
from judging.services.slots import take_up


def work_to_keep(campaign: Campaign) -> list[Submission]:
    """What was sent off from our page, or by our server, and can no longer come in at the crowd."""
    if not crowd_for(campaign).pays_unsubmitted or campaign.state == Campaign.State.CLOSED:
        return []
    paid = Payment.objects.filter(submission=OuterRef("pk"))
    over = Submission.objects.filter(
        campaign=campaign,
        state__in=[Submission.State.FINISHED, Submission.State.LAPSED],
        finished_at__isnull=False,
        taken_at__isnull=False,
        crowd_ends_at__lte=clock.now() - GRACE,
    )
    over = over.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(paid)).order_by("pk")
    return list(over.select_related("worker", "task", "campaign", "place__posting")[:500])


@transaction.atomic
def keep(campaign: Campaign, submission: Submission) -> bool:
    """Take in one such submission and owe what it earned; False when the budget does not pay for it. Safe to race."""
    _, judged, shown, earned = earned_so_far(submission)
    cost = earned + crowd_for(campaign).fees.on(earned)
    if not judged or beyond_cap(campaign, cost):
        return False
    waiting = Submission.objects.filter(
        pk=submission.pk, collected_at=None, state__in=[Submission.State.FINISHED, Submission.State.LAPSED]
    )
    if not waiting.update(
        state=Submission.State.SUBMITTED, submitted_at=F("finished_at"), collected_at=clock.now()
    ):
        return False
    take_up(submission)
    resolve_only_here(submission)
    owe_kept(campaign, submission)
    submission.refresh_from_db()
    return True
