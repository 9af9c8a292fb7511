"""Settle payments that the crowd refuses permanently. A person pays another way, or notes why nobody can.

Otherwise, a worker whose crowd account is gone would keep a campaign from closing, and could not be forgotten.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from config import clock
from judging.campaign.campaigns import log_change
from judging.campaign.cost import money
from judging.campaign.reservations import reserve, take_turn
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, CrowdCall, Payment, Submission
from judging.money.discrepancies import reopen_only_here
from judging.money.payments import is_call_of, possible_keys

LONGEST_REASON = 1000


@dataclass(frozen=True)
class RefusedPayment:
    """An owed payment that the crowd refuses, with the reason (``said``).

    ``call`` is the refused call. It is None for a bonus that was never sent, because the submission's reward was
    refused or the worker was forgotten.
    """

    payment: Payment
    call: CrowdCall | None
    said: str


def refused_payments(campaign: Campaign) -> list[RefusedPayment]:
    """Return the campaign's owed payments that the crowd refuses permanently, ordered by submission.

    A submission's reward comes before its bonuses.
    """
    payments = Payment.objects.filter(submission__campaign=campaign).select_related(
        "submission__worker__identity"
    )
    owed = sorted(
        payments.filter(state=Payment.State.OWED, decided_at=None),
        key=lambda payment: (payment.submission_id, payment.kind != Payment.Kind.REWARD, payment.pk),
    )
    failed = CrowdCall.objects.filter(campaign=campaign, state=CrowdCall.State.FAILED).select_related(
        "payment"
    )
    calls = {call.key: call for call in failed}
    # Maps a submission to the reason why its bonuses cannot be sent.
    no_bonus = dict.fromkeys(
        payments.filter(submission__worker__identity=None).values_list("submission", flat=True),
        "Its worker was forgotten.",
    )
    rewards = payments.filter(kind=Payment.Kind.REWARD, state=Payment.State.SETTLED)
    follows = "It depends on a reward that the crowd refused."
    no_bonus |= dict.fromkeys(rewards.values_list("submission", flat=True), follows)
    found = []
    for payment in owed:
        reward = payment.kind == Payment.Kind.REWARD
        of_this = (calls[key] for key in possible_keys(campaign, payment) if key in calls)
        if call := next((call for call in of_this if is_call_of(call, payment)), None):
            found.append(RefusedPayment(payment, call, call.error_message))
            if reward:
                no_bonus[payment.submission_id] = follows
        elif not reward and payment.submission_id in no_bonus:
            found.append(RefusedPayment(payment, None, no_bonus[payment.submission_id]))
    return found


def settled_payments(campaign: Campaign) -> QuerySet[Payment]:
    """Return the campaign's payments that a person settled, latest first."""
    settled = Payment.objects.filter(submission__campaign=campaign, state=Payment.State.SETTLED)
    return settled.select_related("submission").order_by("-decided_at", "-pk")


@transaction.atomic
def settle_payments(campaign: Campaign, submission: Submission, *, why: str, who: str = "") -> Decimal:
    """Mark a submission's refused payments as settled; return their total in dollars.

    Preferee itself pays nothing: ``why`` states how a person has paid, or why nobody can. Settled payments no longer
    count as owed or spent. Raises BadInput without a reason, and CampaignRefused if the crowd has refused nothing or
    somebody else has settled the payments in the meantime.
    """
    why = why.strip()
    if not why or len(why) > LONGEST_REASON:
        raise BadInput(
            f"State how it was settled, in at most {LONGEST_REASON:,} characters.",
            "The reason is kept with the payment, for example “paid by bank transfer on May 3”.",
        )
    refused = [one for one in refused_payments(campaign) if one.payment.submission_id == submission.pk]
    if not refused:
        raise CampaignRefused(
            f"The crowd has not refused a payment for submission {submission.pk}, so there is nothing to settle.",
            "The crowd pays what is owed. You can settle only payments that it refuses permanently.",
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
    if not changed:  # somebody else has settled it since the lookup
        raise CampaignRefused(
            f"The refused payments for submission {submission.pk} are already settled.",
            "Somebody else has just settled them. The campaign's log shows by whom and how.",
        )
    log_change(
        campaign,
        f"${settled:,.2f} for submission {submission.pk} settled outside the crowd",
        why=why,
        who=who,
    )
    return settled


@transaction.atomic
def undo_settlement(
    campaign: Campaign, submission: Submission, *, why: str = "", by: User | None = None, who: str = ""
) -> Decimal:
    """Undo :func:`settle_payments`, so that the submission's payments are owed again; return their total in dollars.

    A payment by receipt that a person made another way is deleted instead, and its work is listed as unpaid again.
    This does not repeat the failed calls. A closed campaign no longer reserves settled payments, so they are
    reserved again against what ``by`` can spend (None: the operator). Raises MayNotSpend, and CampaignRefused if
    nothing was settled or somebody else has undone the settlement in the meantime.
    """
    take_turn()
    who = by.get_username() if by else who
    settled = list(settled_payments(campaign).filter(submission=submission))
    if not settled:
        raise CampaignRefused(f"Nothing was settled for submission {submission.pk}.")
    amount, changed = Decimal(0), 0
    for payment in settled:
        still = Payment.objects.filter(pk=payment.pk, state=Payment.State.SETTLED)
        if _paid_by_receipt(payment):
            # The crowd never owed this payment. The work is again listed as unpaid, to be paid by receipt.
            updated, _ = still.delete()
            reopen_only_here(submission)
        else:
            updated = still.update(
                state=Payment.State.OWED, call=None, decided_at=None, decided_by="", decided_why=""
            )
        amount += payment.amount * updated
        changed += updated
    if not changed:  # somebody else has undone the settlement since the lookup
        raise CampaignRefused(
            "Somebody else has just undone this settlement.", "Reload the page to see its state."
        )
    reserve(campaign, money(campaign)["committed"], by=by, who=who)
    log_change(campaign, f"${amount:,.2f} for submission {submission.pk} owed again", why=why, who=who)
    return amount


def _paid_by_receipt(payment: Payment) -> bool:
    """Return whether a settled payment is a person's payment by receipt, not one that the crowd refused.

    The pay for work that our server kept when the crowd's time was over does not qualify: it goes through the crowd.
    """
    if payment.kind != Payment.Kind.COMPENSATION or payment.carrier_id is not None:
        return False
    listed = payment.submission.payments.filter(kind=Payment.Kind.REWARD)
    return payment.submission.state == Submission.State.LAPSED or listed.exists()
