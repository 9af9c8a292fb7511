"""What is owed and what is paid: each submission's reward once, whatever its standing."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal

from django.db.models import Count, F, Sum

from config import clock
from config.background.registry import Progress
from judging.crowds import crowd_for
from judging.crowds.seam import Crowd
from judging.errors import CrowdNever
from judging.models import Campaign, CrowdCall, Payment, Place, Submission
from judging.services.calls import Patience, Reply, campaign_key, perform


def owe_reward(campaign: Campaign, submission: Submission) -> Payment:
    """Record that the reward of a submission is owed; once."""
    fee = crowd_for(campaign).fees.on(campaign.reward)
    payment, _ = Payment.objects.get_or_create(
        submission=submission,
        kind=Payment.Kind.REWARD,
        defaults={"amount": campaign.reward, "fee": fee},
    )
    return payment


def pay_owed(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Approve every submission whose reward is owed; returns how many were. Safe to repeat and to race.

    A payment that the crowd will never make as it is stays owed, shows among the campaign's problems, and
    holds up no other; nor does one that it cannot make for now, whose error is raised at the end.
    """
    crowd, patience = crowd_for(campaign), Patience()
    owed = list(
        Payment.objects.filter(
            submission__campaign=campaign, state=Payment.State.OWED, kind=Payment.Kind.REWARD
        ).select_related("submission")
    )
    paid = 0
    for done, payment in enumerate(owed, start=1):
        with suppress(CrowdNever), patience.one():
            pay_reward(campaign, crowd, payment)
            paid += 1
        if progress:
            progress(done, len(owed), "Paying")
    patience.done()
    return paid


def pay_reward(campaign: Campaign, crowd: Crowd, payment: Payment) -> None:
    """Have the crowd pay one reward; raises its error when it does not."""
    assignment = payment.submission.assignment_id

    def approve() -> Reply:
        crowd.approve(assignment)  # approving twice is harmless: the crowd pays an assignment once
        return {"approved": assignment}

    key = f"{campaign_key(campaign)}-pay-{payment.submission_id}"
    perform(
        campaign=campaign,
        operation="approve",
        key=key,
        request={"assignment": assignment},
        act=approve,
        find=lambda _already: None,
    )
    now = clock.now()
    Payment.objects.filter(pk=payment.pk, state=Payment.State.OWED).update(
        state=Payment.State.PAID, paid_at=now, call=CrowdCall.objects.get(key=key)
    )
    Submission.objects.filter(pk=payment.submission_id, approved_at=None).update(approved_at=now)


def money(campaign: Campaign) -> dict[str, Decimal]:
    """Dollars with fees: ``spent`` (paid), ``owed``, ``committed`` (both, and what live places promise)."""
    sums = {
        row["state"]: row["total"]
        for row in Payment.objects.filter(submission__campaign=campaign)
        .values("state")
        .annotate(total=Sum(F("amount") + F("fee")), payments=Count("pk"))
    }
    spent = sums.get(Payment.State.PAID) or Decimal(0)
    owed = sums.get(Payment.State.OWED) or Decimal(0)
    live = Place.objects.filter(
        posting__campaign=campaign, state__in=[Place.State.WANTED, Place.State.OPEN]
    ).count()
    promised = live * (campaign.reward + crowd_for(campaign).fees.on(campaign.reward))
    return {"spent": spent, "owed": owed, "committed": spent + owed + promised}
