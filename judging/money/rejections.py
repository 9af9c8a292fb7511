"""Reject a submission, so that it is not paid, or take a rejection back.

A person decides. The software itself rejects only work without a judged pair (judging/money/held_pay.py).
"""

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from config import clock
from config.guidance import Guidance, Option
from judging.campaign.campaigns import log_change
from judging.campaign.cost import money
from judging.campaign.reservations import reserve, settle_reservations, take_turn
from judging.campaign.spending_rights import summed
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused, CrowdNever
from judging.exchange.calls import Patience, Reply, perform
from judging.models import Campaign, Payment, Submission
from judging.money.discrepancies import find_by_receipt, resolve_only_there
from judging.money.payments import mark_paid

WARNING = (
    "A rejection stays on the worker's record at the crowd and can cost them other work. You do not need it for "
    "careless work, which is excluded and repeated anyway. Workers were promised pay."
)
LONGEST_REASON = 1024


def submission_of(campaign: Campaign, word: str) -> Submission:
    """Return the submitted work with this assignment id or receipt. Raises BadInput if there is none."""
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    found = came_in.filter(assignment_id=word).first() or find_by_receipt(came_in, word)
    if found is None:
        raise BadInput(
            f"Campaign {campaign.name} has no submission with the assignment id or receipt {word}.",
            "Receipts look like 123-ABCDEF. Workers see theirs on the last page.",
        )
    return found


def reject(campaign: Campaign, submission: Submission, *, why: str, who: str = "") -> None:
    """Decide a rejection (:func:`decide_rejection`) and report it to the crowd at once. Raises the crowd's error."""
    payment = decide_rejection(submission, why=why, who=who)
    if payment.kind == Payment.Kind.REWARD:
        _reject_at_crowd(campaign, payment)


def decide_rejection(submission: Submission, *, why: str, who: str = "") -> Payment:
    """Record the decision to reject a submission, with the reason for the worker; return its reward.

    The next collection reports the rejection to the crowd; then reward and bonus are no longer owed. Work that never
    reached the crowd has no reward: its pay is rejected at once, and returned. The judgments are not touched. Raises
    BadInput without a reason, and CampaignRefused if the pay is already paid or rejected, or if there is none.
    """
    if not why.strip() or len(why) > LONGEST_REASON:
        raise BadInput(f"A rejection needs a reason of at most {LONGEST_REASON:,} characters.")
    rewards = Payment.objects.filter(submission=submission, kind=Payment.Kind.REWARD)
    # Record the decision first, so that no job pays the reward. An earlier decision not yet reported is replaced.
    decided = {"decided_at": clock.now(), "decided_by": who, "decided_why": why.strip()}
    if not rewards.exists():
        return _reject_kept(submission, decided)
    if not rewards.filter(state__in=Payment.OPEN).update(**decided):
        payment = rewards.get()
        raise CampaignRefused(
            f"The reward for {submission.assignment_id} is already {payment.state}.",
            Guidance(
                "Create campaigns with ",
                Option("hold-hours"),
                " to have time to review work before it is paid.",
            ),
        )
    resolve_only_there(submission, "rejected")
    return rewards.get()


@transaction.atomic
def _reject_kept(submission: Submission, decided: dict[str, Any]) -> Payment:
    """Reject the pay for kept work, which the crowd does not know, and return it. Raises CampaignRefused."""
    owed = Payment.objects.filter(submission=submission, state__in=Payment.OPEN)
    if not owed.filter(kind=Payment.Kind.COMPENSATION, carrier=None).exists():
        raise CampaignRefused(f"Submission {submission.pk} has no pay that could be rejected.")
    owed.update(state=Payment.State.REJECTED, **decided)
    why, who = decided["decided_why"], decided["decided_by"]
    log_change(submission.campaign, f"submission {submission.pk} rejected", why=why, who=who)
    return submission.payments.get(kind=Payment.Kind.COMPENSATION)


def carry_out_rejections(campaign: Campaign) -> int:
    """Report decided rejections that the crowd does not know yet; return their number. Safe to repeat."""
    patience, done = Patience(), 0
    for reward in _rejections_to_carry_out(campaign).select_related("submission").order_by("pk"):
        with suppress(CrowdNever), patience.one():
            _reject_at_crowd(campaign, reward)
            done += 1
    patience.done()
    return done


def _rejections_to_carry_out(campaign: Campaign) -> QuerySet[Payment]:
    """Return the campaign's rewards whose rejection was decided but not yet reported to the crowd."""
    undone = {"kind": Payment.Kind.REWARD, "state__in": Payment.OPEN}
    return Payment.objects.filter(submission__campaign=campaign, **undone).exclude(decided_at=None)


def _reject_at_crowd(campaign: Campaign, reward: Payment) -> None:
    """Have the crowd reject the submission of this reward, and mark its open payments as rejected.

    If the crowd refuses this permanently, undo the decision and raise CrowdNever.
    """
    submission, why = reward.submission, reward.decided_why

    def call() -> Reply:
        crowd_for(campaign).reject(submission.assignment_id, reason=why)
        return {"rejected": submission.assignment_id}

    key = f"{campaign.call_key}-reject-{submission.pk}"
    request = {"assignment": submission.assignment_id, "reason": why}
    try:
        perform(
            campaign=campaign, operation="reject", key=key, request=request, act=call, find=lambda _: None
        )
    except CrowdNever:
        rewards = Payment.objects.filter(pk=reward.pk)
        rewards.update(decided_at=None, decided_by="", decided_why="")
        raise
    with transaction.atomic():
        # If somebody has taken the rejection back since this reward was read, nothing is rejected.
        if _rejections_to_carry_out(campaign).filter(pk=reward.pk).update(state=Payment.State.REJECTED):
            owed = Payment.objects.filter(submission=submission, state__in=Payment.OPEN)
            owed.update(state=Payment.State.REJECTED)
            log_change(campaign, f"submission {submission.pk} rejected", why=why, who=reward.decided_by)


def override_rejection(campaign: Campaign, submission: Submission, *, why: str = "", who: str = "") -> None:
    """Take a rejection back, so that the crowd pays the reward now and the bonus for judged pairs is owed again.

    A bonus for pairs that only the crowd's form claims was never earned. It is held again until a person decides.
    The crowd allows this for 30 days after the submission. A rejection that was decided but not confirmed by the
    crowd is sent first, because the crowd may have carried it out. The money, which a rejection leaves to other
    tasks and a closed campaign no longer reserves, is reserved first. The pay for work that never reached the crowd
    is owed again. Raises CampaignRefused if nothing was rejected, or beyond the installation's cap.
    """
    decided = _rejections_to_carry_out(campaign).filter(submission=submission).first()
    if decided is not None:
        with suppress(CrowdNever):
            _reject_at_crowd(campaign, decided)
    rejected = Payment.objects.filter(submission=submission, state=Payment.State.REJECTED)
    rewards = submission.payments.filter(kind=Payment.Kind.REWARD)
    reward = rewards.filter(state=Payment.State.REJECTED).first()
    if not rejected.exists() or (reward is None and rewards.exists()):
        raise CampaignRefused(f"{submission.assignment_id} is not rejected.")
    _reserve_again(campaign, rejected, who=who)
    key = _approve_rejected(campaign, submission) if reward else ""
    with transaction.atomic():
        if reward:
            mark_paid(reward, key)
            Submission.objects.filter(pk=submission.pk).update(approved_at=clock.now())
        rejected.filter(cause=Payment.CLAIMED).update(state=Payment.State.HELD)
        rejected.update(state=Payment.State.OWED)
        # The decision and its reason stay in the campaign's log.
        submission.payments.update(decided_at=None, decided_by="", decided_why="")
        log_change(campaign, f"rejection of submission {submission.pk} overridden", why=why, who=who)


def _approve_rejected(campaign: Campaign, submission: Submission) -> str:
    """Have the crowd approve a rejected submission after all; return the call's key. Raises the crowd's error."""

    def call() -> Reply:
        crowd_for(campaign).approve(submission.assignment_id, override_rejection=True)
        return {"approved": submission.assignment_id}

    key = f"{campaign.call_key}-override-{submission.pk}"
    request = {"assignment": submission.assignment_id}
    try:
        perform(
            campaign=campaign, operation="override", key=key, request=request, act=call, find=lambda _: None
        )
    except CrowdNever:
        if campaign.state == Campaign.State.CLOSED:
            settle_reservations(campaign)
        raise
    return key


def _reserve_again(campaign: Campaign, rejected: QuerySet[Payment], *, who: str) -> None:
    """Reserve these rejected payments beside what the campaign has committed, on behalf of the operator."""
    with transaction.atomic():
        take_turn()
        again = summed(rejected, F("amount") + F("fee"))
        reserve(campaign, money(campaign)["committed"] + again, by=None, who=who)
