"""Pay by receipt for work that was submitted on our page but never listed by the crowd.

The crowd pays a bonus on another assignment of the same worker. Without such an assignment, or by choice, a person
pays another way and notes how. Either payment is recorded once. If the crowd lists the work after all, its reward is
held for a decision (judging/money/held_pay.py), so that nothing is paid twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from config import clock
from judging.campaign.campaigns import log_change
from judging.campaign.cost import money
from judging.campaign.reservations import lock_commitments, reserve, take_turn
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, Payment, Submission
from judging.money.budget import beyond_cap
from judging.money.discrepancies import find_by_receipt, receipt_of, resolve_only_here
from judging.money.payments import earned_so_far
from judging.workers.identities import crowd_namespace

LONGEST_WHY = 1000
BONUS, ANOTHER_WAY = "bonus", "another way"
#: The ways to pay for work by receipt.
WAYS = (BONUS, ANOTHER_WAY)
#: The reason that the worker reads for the bonus.
REASON = "Pay for a task that you submitted and that the task site did not record."


@dataclass(frozen=True)
class MissingWork:
    """A task submitted on our page whose time at the crowd ended without a submission there.

    ``judged`` and ``shown`` are numbers of pairs, and ``earned`` is in dollars. ``carrier`` is an assignment of the
    same worker on which the crowd can pay a bonus, if any.
    """

    submission: Submission
    receipt: str
    judged: int
    shown: int
    earned: Decimal
    carrier: Submission | None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, with dollars as Decimal."""
        return {
            "submission": self.submission.pk,
            "receipt": self.receipt,
            "worker": self.submission.worker_id,
            "judged": self.judged,
            "shown": self.shown,
            "earned": self.earned,
            "ways": [BONUS, ANOTHER_WAY] if self.carrier else [ANOTHER_WAY],
        }


def missing_work(campaign: Campaign, *, most: int = 1000) -> list[MissingWork]:
    """Return the campaign's work that the crowd did not list and that is not paid yet, oldest first."""
    rows = _unpaid_submissions(campaign).order_by("finished_at", "pk")
    return [_describe_missing(campaign, one) for one in rows[:most]]


def _unpaid_submissions(campaign: Campaign) -> QuerySet[Submission]:
    paid = Payment.objects.filter(submission=OuterRef("pk"))
    sent_off = Submission.objects.filter(
        campaign=campaign, state=Submission.State.LAPSED, finished_at__isnull=False
    )
    return sent_off.exclude(standing=Submission.Standing.TRIAL).exclude(Exists(paid)).select_related("worker")


def _describe_missing(campaign: Campaign, submission: Submission) -> MissingWork:
    _, judged, shown, earned, _ = earned_so_far(submission)
    carriers = carriers_for(campaign, submission)
    return MissingWork(
        submission, receipt_of(submission), judged, shown, earned, carriers[0] if carriers else None
    )


def carriers_for(campaign: Campaign, submission: Submission) -> Sequence[Submission]:
    """Return the assignments on which the crowd can pay this worker a bonus: up to 100 with a paid reward.

    Those of the same campaign come first, then the latest.
    """
    rewards = Payment.objects.filter(
        submission=OuterRef("pk"), kind=Payment.Kind.REWARD, state=Payment.State.PAID
    )
    others = Submission.objects.filter(
        Exists(rewards), worker=submission.worker_id, worker__identity__crowd=crowd_namespace(campaign)
    )
    return sorted(others.order_by("-pk")[:100], key=lambda one: one.campaign_id != campaign.pk)


def missing_by_receipt(campaign: Campaign, word: str) -> Submission:
    """Return the unlisted, unpaid submission with this receipt. Raises CampaignRefused if there is none."""
    found = find_by_receipt(_unpaid_submissions(campaign), word)
    if found is None:
        raise CampaignRefused(
            f"Campaign {campaign.name} has no unpaid work with the receipt {word}.",
            "Either the crowd lists it and pays it as usual, or its time is not over, or it has already been paid.",
        )
    return found


@transaction.atomic
def pay_missing(
    campaign: Campaign,
    submission: Submission,
    *,
    way: str,
    why: str,
    by: User | None = None,
    who: str = "",
) -> Decimal:
    """Record the payment for work that the crowd never listed, in one of :data:`WAYS`; return the dollars.

    The crowd pays a bonus at the next collection; it is reserved against what ``by`` can spend (None: the operator).
    If a person paid another way, ``why`` states how. Raises BadInput without a reason, and MayNotSpend. Raises
    CampaignRefused if the budget is too low, no assignment can carry the bonus, or the work has been paid or listed
    in the meantime.
    """
    who = by.get_username() if by else who
    take_turn()
    _lock_unpaid(campaign, submission)
    if way not in WAYS or not (why := why.strip()) or len(why) > LONGEST_WHY:
        raise BadInput(
            f"State why or how this receipt is paid, in at most {LONGEST_WHY:,} characters.",
            "The reason is kept with the payment, for example “paid by bank transfer on May 3”.",
        )
    missing = _describe_missing(campaign, submission)
    paid: dict[str, Any] = {
        "fee": Decimal("0.00"),
        "state": Payment.State.SETTLED,
        "decided_at": clock.now(),
        "decided_by": who,
        "decided_why": why,
    }
    if way == BONUS:
        paid = _reserve_bonus(campaign, missing, by=by, who=who)
    _, made = Payment.objects.get_or_create(
        submission=submission,
        kind=Payment.Kind.COMPENSATION,
        defaults={"amount": missing.earned, "reason": REASON, **paid},
    )
    if not made:
        raise CampaignRefused(f"Submission {submission.pk} has just been paid by its receipt.")
    resolve_only_here(submission, f"paid by the receipt: {way}")
    log_change(
        campaign,
        f"${missing.earned:,.2f} paid by the receipt of submission {submission.pk}: {way}",
        why=why,
        who=who,
    )
    return missing.earned


def _lock_unpaid(campaign: Campaign, submission: Submission) -> None:
    """Lock the submission's row. Raises CampaignRefused if it has been paid or listed.

    Without the lock, the crowd could list the submission during the payment.
    """
    still = Submission.objects.filter(pk=submission.pk, state=Submission.State.LAPSED)
    if (
        not still.update(state=Submission.State.LAPSED)
        or not _unpaid_submissions(campaign).filter(pk=submission.pk).exists()
    ):
        raise CampaignRefused(
            f"Submission {submission.pk} has been paid or listed by the crowd in the meantime."
        )


def _reserve_bonus(campaign: Campaign, missing: MissingWork, *, by: User | None, who: str) -> dict[str, Any]:
    """Reserve a bonus and its fee; return the fields ``fee`` and ``carrier`` of the payment to record."""
    if missing.carrier is None:
        raise CampaignRefused(
            f"Worker {missing.submission.worker_id} has no paid assignment at this crowd to carry the bonus.",
            "Pay another way and note how, or wait until another task of this worker is paid.",
        )
    fee = crowd_for(campaign).fees.on(missing.earned)
    lock_commitments(campaign)
    if refusal := beyond_cap(campaign, missing.earned + fee):
        raise refusal
    reserve(campaign, money(campaign)["committed"] + missing.earned + fee, by=by, who=who)
    return {"fee": fee, "carrier": missing.carrier}
