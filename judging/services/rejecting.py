"""A person's decision not to pay a submission, and taking it back. The software itself rejects nothing."""

from __future__ import annotations

from contextlib import suppress

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused, CrowdNever
from judging.models import Campaign, Payment, Submission
from judging.services.calls import Patience, Reply, campaign_key, perform
from judging.services.campaigns import log
from judging.services.payments import mark_paid
from judging.services.reconciling import resolve_only_there

WARNING = (
    "A rejection stays on the worker's record at the crowd and can cost them other work. Careless work is excluded "
    "and repeated without it, and workers are promised to be paid."
)
LONGEST_REASON = 1024


def submission_of(campaign: Campaign, word: str) -> Submission:
    """The submission that came in with this assignment id, or whose receipt it is; raises CampaignRefused."""
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    found = came_in.filter(assignment_id=word).first()
    number, _, end = word.partition("-")
    if found is None and number.isdecimal() and len(number) < 19 and end:
        found = came_in.filter(pk=int(number), assignment_id__endswith=end).first()
    if found is None:
        raise BadInput(
            f"Nothing that came in on {campaign.name} has the assignment id or receipt {word}.",
            "Receipts look like 123-ABCDEF; they stand on the worker's last page.",
        )
    return found


def reject(campaign: Campaign, submission: Submission, *, why: str, who: str = "") -> None:
    """Decide so (:func:`decide_rejection`) and tell the crowd at once. Raises the crowd's error, too."""
    _carry_out(campaign, decide_rejection(submission, why=why, who=who))


def decide_rejection(submission: Submission, *, why: str, who: str = "") -> Payment:
    """Refuse the submission's reward, telling the worker why; its bonus falls away with it. Returns the reward.

    The next collection tells the crowd. The judgments are not touched. Raises CampaignRefused without a reason, or
    when it was paid or rejected before.
    """
    if not why.strip() or len(why) > LONGEST_REASON:
        raise BadInput(f"A rejection needs a reason of at most {LONGEST_REASON:,} characters.")
    rewards = Payment.objects.filter(submission=submission, kind=Payment.Kind.REWARD)
    # Decided first: from now on no job pays it. One that was decided and not carried out is carried out now.
    owed = rewards.filter(state__in=Payment.OPEN)
    if not owed.update(decided_at=clock.now(), decided_by=who, decided_why=why.strip()):
        payment = rewards.get()
        raise CampaignRefused(
            f"The reward of {submission.assignment_id} is {payment.state} already.",
            "Campaigns made with --hold-hours leave time for a look before work is paid.",
        )
    resolve_only_there(submission, "rejected")
    return rewards.get()


def carry_out_rejections(campaign: Campaign) -> int:
    """Tell the crowd of rejections that were decided and not carried out; returns how many. Safe to repeat."""
    patience, done = Patience(), 0
    for reward in _decided(campaign).select_related("submission").order_by("pk"):
        with suppress(CrowdNever), patience.one():
            _carry_out(campaign, reward)
            done += 1
    patience.done()
    return done


def _decided(campaign: Campaign) -> QuerySet[Payment]:
    """Rewards whose rejection was decided and not carried out."""
    undone = {"kind": Payment.Kind.REWARD, "state__in": Payment.OPEN}
    return Payment.objects.filter(submission__campaign=campaign, **undone).exclude(decided_at=None)


def _carry_out(campaign: Campaign, reward: Payment) -> None:
    """Have the crowd refuse a reward as it was decided; when it refuses that for good, the reward is as before."""
    submission, why = reward.submission, reward.decided_why

    def call() -> Reply:
        crowd_for(campaign).reject(submission.assignment_id, reason=why)
        return {"rejected": submission.assignment_id}

    key = f"{campaign_key(campaign)}-reject-{submission.pk}"
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
        # Somebody may have taken it back since this reward was read: then nothing of it is rejected any more.
        if _decided(campaign).filter(pk=reward.pk).update(state=Payment.State.REJECTED):
            owed = Payment.objects.filter(submission=submission, state__in=Payment.OPEN)
            owed.update(state=Payment.State.REJECTED)
            log(campaign, f"submission {submission.pk} rejected", why=why, who=reward.decided_by)


def override_rejection(campaign: Campaign, submission: Submission, *, why: str = "", who: str = "") -> None:
    """Take a rejection back: the reward is paid now, the bonus is owed again.

    The crowd allows it for 30 days after the submission. A rejection whose reply was lost is carried out first, for
    it may have been. Raises CampaignRefused when nothing was rejected.
    """
    decided = _decided(campaign).filter(submission=submission).first()
    if decided is not None:
        with suppress(CrowdNever):
            _carry_out(campaign, decided)
    rejected = Payment.objects.filter(submission=submission, state=Payment.State.REJECTED)
    reward = rejected.filter(kind=Payment.Kind.REWARD).first()
    if reward is None:
        raise CampaignRefused(f"{submission.assignment_id} is not rejected.")

    def call() -> Reply:
        crowd_for(campaign).approve(submission.assignment_id, override_rejection=True)
        return {"approved": submission.assignment_id}

    key = f"{campaign_key(campaign)}-override-{submission.pk}"
    request = {"assignment": submission.assignment_id}
    perform(campaign=campaign, operation="override", key=key, request=request, act=call, find=lambda _: None)
    with transaction.atomic():
        mark_paid(reward, key)
        rejected.update(state=Payment.State.OWED)
        # The decision and its reason stay in the campaign's log.
        submission.payments.update(decided_at=None, decided_by="", decided_why="")
        Submission.objects.filter(pk=submission.pk).update(approved_at=clock.now())
        log(campaign, f"rejection of submission {submission.pk} overridden", why=why, who=who)
