"""Payments that the crowd refuses for good, and what a person did about them: paid another way, or why not.

Without it a worker whose account is gone would keep a campaign from closing, and could not be forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from config import clock
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, CrowdCall, Payment, Submission
from judging.services.campaigns import log
from judging.services.payments import key_of, money
from judging.services.reconciling import reopen_only_here
from judging.services.reserving import reserve, take_turn

LONGEST_REASON = 1000


@dataclass(frozen=True)
class RefusedPayment:
    """A payment that is owed and that the crowd will not make, and why.

    ``call`` is None where none was made: of a bonus whose reward was refused, or of a worker who was forgotten.
    """

    payment: Payment
    call: CrowdCall | None
    said: str


def refused_payments(campaign: Campaign) -> list[RefusedPayment]:
    """Every owed payment that the crowd refused for good, a submission's reward before its bonuses."""
    payments = Payment.objects.filter(submission__campaign=campaign).select_related("submission")
    owed = sorted(
        payments.filter(state=Payment.State.OWED, decided_at=None),
        key=lambda payment: (payment.submission_id, payment.kind != Payment.Kind.REWARD, payment.pk),
    )
    failed = CrowdCall.objects.filter(campaign=campaign, state=CrowdCall.State.FAILED)
    calls = {call.key: call for call in failed}
    # Submission → why no bonus of it can be sent.
    no_bonus = dict.fromkeys(
        payments.filter(submission__worker__identity=None).values_list("submission", flat=True),
        "Its worker was forgotten.",
    )
    rewards = payments.filter(kind=Payment.Kind.REWARD, state=Payment.State.SETTLED)
    follows = "It follows a reward that the crowd refused."
    no_bonus |= dict.fromkeys(rewards.values_list("submission", flat=True), follows)
    found = []
    for payment in owed:
        reward = payment.kind == Payment.Kind.REWARD
        if call := calls.get(key_of(campaign, payment)):
            found.append(RefusedPayment(payment, call, call.error_message))
            if reward:
                no_bonus[payment.submission_id] = follows
        elif not reward and payment.submission_id in no_bonus:
            found.append(RefusedPayment(payment, None, no_bonus[payment.submission_id]))
    return found


def settled_payments(campaign: Campaign) -> QuerySet[Payment]:
    """Payments that a person settled, the latest first."""
    settled = Payment.objects.filter(submission__campaign=campaign, state=Payment.State.SETTLED)
    return settled.select_related("submission").order_by("-decided_at", "-pk")


@transaction.atomic
def settle(campaign: Campaign, submission: Submission, *, why: str, who: str = "") -> Decimal:
    """Note that what the crowd refuses to pay for a submission is settled; returns its dollars.

    Preferee pays nothing: a person did, another way, or says why nobody can. It is neither owed nor spent from now
    on. Raises CampaignRefused without a reason, when the crowd has refused none of it, and when somebody else has
    settled it in the meantime.
    """
    why = why.strip()
    if not why or len(why) > LONGEST_REASON:
        raise BadInput(
            f"Say how it was settled, in at most {LONGEST_REASON:,} characters.",
            "It is kept with the payment: “paid by bank transfer on 3 May”, for instance.",
        )
    refused = [one for one in refused_payments(campaign) if one.payment.submission_id == submission.pk]
    if not refused:
        raise CampaignRefused(
            f"The crowd has refused no payment for submission {submission.pk}: there is nothing to settle.",
            "What is owed is paid by the crowd. Only what it refuses for good can be settled another way.",
        )
    settled, changed = Decimal(0), 0
    for one in refused:
        still_owed = Payment.objects.filter(pk=one.payment.pk, state=Payment.State.OWED, decided_at=None)
        updated = still_owed.update(
            state=Payment.State.SETTLED,
            call=one.call,
            decided_at=clock.now(),
            decided_by=who,
            decided_why=why,
        )
        settled += one.payment.amount * updated
        changed += updated
    if not changed:  # somebody else settled it since it was looked up
        raise CampaignRefused(
            f"What the crowd refused for submission {submission.pk} is settled already.",
            "Somebody else has just done it; the campaign's log says who, and how.",
        )
    log(
        campaign,
        f"${settled:,.2f} for submission {submission.pk} settled outside the crowd",
        why=why,
        who=who,
    )
    return settled


@transaction.atomic
def take_back(
    campaign: Campaign, submission: Submission, *, why: str = "", by: User | None = None, who: str = ""
) -> Decimal:
    """Undo :func:`settle`: what was settled for the submission is owed again; returns its dollars.

    The crowd still refuses it until it is asked again. Once a campaign is closed, what was settled is reserved no
    more, so it is reserved anew against what ``by`` may spend (None: the operator). Raises MayNotSpend, and
    CampaignRefused when nothing was settled, or somebody else has undone it in the meantime.
    """
    take_turn()
    who = by.get_username() if by else who
    settled = list(settled_payments(campaign).filter(submission=submission))
    if not settled:
        raise CampaignRefused(f"Nothing was settled for submission {submission.pk}.")
    amount, changed = Decimal(0), 0
    for payment in settled:
        if _paid_by_receipt(payment):
            # It was never the crowd's to pay: the work waits again for somebody to pay it by its receipt.
            updated = Payment.objects.filter(pk=payment.pk, state=Payment.State.SETTLED).delete()[0]
            amount += payment.amount * updated
            changed += updated
            reopen_only_here(submission)
            continue
        updated = Payment.objects.filter(pk=payment.pk, state=Payment.State.SETTLED).update(
            state=Payment.State.OWED, call=None, decided_at=None, decided_by="", decided_why=""
        )
        amount += payment.amount * updated
        changed += updated
    if not changed:  # somebody else took it back since it was looked up
        raise CampaignRefused(f"What was settled for submission {submission.pk} is owed again already.")
    reserve(campaign, money(campaign)["committed"], by=by, who=who)
    log(campaign, f"${amount:,.2f} for submission {submission.pk} owed again", why=why, who=who)
    return amount


def _paid_by_receipt(payment: Payment) -> bool:
    """Whether a person paid another way for work that the crowd never listed.

    Not what our server kept when the crowd's time was over (services/keeping.py): the crowd pays that, or refuses to.
    """
    if payment.kind != Payment.Kind.COMPENSATION or payment.carrier_id is not None:
        return False
    listed = payment.submission.payments.filter(kind=Payment.Kind.REWARD)
    return payment.submission.state == Submission.State.LAPSED or listed.exists()
