"""What is owed and what is paid: a reward for each submission, and its bonuses, each once, whatever its standing."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

from django.db.models import F, Q, Sum

from config import clock
from config.background.registry import Progress
from judging.crowds import crowd_for
from judging.crowds.seam import Crowd
from judging.errors import CrowdAlready, CrowdNever
from judging.models import Campaign, CrowdCall, CrowdIdentity, Payment, Place, Submission
from judging.pay import Pay, rounded
from judging.services.calls import Patience, Reply, campaign_key, perform
from judging.services.cost import pay_for, quote_tasks
from judging.services.evidence import Evidence, progress_of

#: What stands before a bonus's own reference in what the worker reads, so that it is found again.
REFERENCE = "Reference"
#: The operations of the calls that pay.
PAYING = ("approve", "pay_bonus", "pay_top_up", "pay_compensation")


def owe(campaign: Campaign, submission: Submission, work: Evidence) -> None:
    """Record what a submission that the crowd lists is owed: its reward, and its bonus. Once each.

    What our page never saw is held until a person decides: all of it, or the bonus for the pairs that the crowd's
    form claims beyond those that were saved. So is the reward of work that was paid by its receipt before, and of
    work that stopped before the last pair where pay is not split: it is for all of the pairs.
    """
    if submission.payments.filter(kind=Payment.Kind.REWARD).exists():
        return
    pay = pay_for(campaign)
    compensated = submission.payments.filter(kind=Payment.Kind.COMPENSATION).exists()
    earned = work.seen and (bool(pay.bonus) or not pay.whole or work.judged == work.shown)
    state = Payment.State.OWED if earned and not compensated else Payment.State.HELD
    _owe(campaign, submission, Payment.Kind.REWARD, pay.base, state=state)
    if compensated:
        return
    saved, claimed = (pay.bonus_for(pairs, work.shown) for pairs in (work.judged, work.claimed))
    if saved:
        reason = f"Bonus for {work.judged} of {work.shown} pairs judged."
        _owe(campaign, submission, Payment.Kind.BONUS, saved, reason=reason)
    if claimed > saved:
        reason = f"Bonus for {work.claimed - work.judged} of {work.shown} pairs judged."
        held = {"cause": Payment.CLAIMED, "state": Payment.State.HELD}
        _owe(campaign, submission, Payment.Kind.BONUS, claimed - saved, reason=reason, **held)


def _owe(
    campaign: Campaign,
    submission: Submission,
    kind: str,
    amount: Decimal,
    *,
    cause: str = "",
    reason: str = "",
    state: str = Payment.State.OWED,
) -> Payment:
    values = {"amount": amount, "fee": crowd_for(campaign).fees.on(amount), "reason": reason, "state": state}
    payment, _ = Payment.objects.get_or_create(submission=submission, kind=kind, cause=cause, defaults=values)
    return payment


def owe_top_up(
    campaign: Campaign, submission: Submission, amount: Decimal, *, cause: str, reason: str
) -> Payment:
    """Record a bonus on top of what was promised, once for each ``cause``."""
    return _owe(campaign, submission, Payment.Kind.TOP_UP, amount, cause=cause, reason=reason)


def owe_kept(campaign: Campaign, submission: Submission) -> Payment:
    """Record what is owed for saved work whose time at the crowd ran out; held where pay is for the whole task."""
    pay, judged, shown, earned = earned_so_far(submission)
    sure = bool(pay.bonus) or not pay.whole or judged == shown
    state = Payment.State.OWED if sure else Payment.State.HELD
    reason = f"Pay for {judged} of {shown} pairs judged before the time was over."
    return _owe(campaign, submission, Payment.Kind.COMPENSATION, earned, reason=reason, state=state)


def earned_so_far(submission: Submission) -> tuple[Pay, int, int, Decimal]:
    """The task's pay, pairs judged, pairs shown, and the dollars for sending it off now."""
    pay, (judged, shown) = pay_for(submission.campaign), progress_of(submission)
    return pay, judged, shown, pay.earned(judged, shown)


def pay_owed(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Approve and pay everything that is owed; returns how many payments were made. Safe to repeat and to race.

    A payment that the crowd will never make as it is stays owed, shows among the campaign's problems, and
    holds up no other; nor does one that it cannot make for now, whose error is raised at the end. Bonuses
    follow the approval of their submission. Nothing is paid before the campaign's hours for a look at it are over.
    """
    crowd, patience = crowd_for(campaign), Patience()
    due = clock.now() - timedelta(hours=campaign.hold_hours)
    owed = list(
        Payment.objects.filter(
            submission__campaign=campaign, state=Payment.State.OWED, decided_at=None, owed_at__lte=due
        ).select_related("submission", "carrier")
    )
    owed.sort(key=lambda payment: (payment.kind != Payment.Kind.REWARD, payment.pk))
    paid = 0
    for done, payment in enumerate(owed, start=1):
        with suppress(CrowdNever), patience.one():
            paid += pay(campaign, crowd, payment)
        if progress:
            progress(done, len(owed), "Paying")
    patience.done()
    return paid


def pay(campaign: Campaign, crowd: Crowd, payment: Payment) -> bool:
    """Have the crowd make one payment; False when it waits for its reward. Raises the crowd's error."""
    if payment.kind == Payment.Kind.REWARD:
        pay_reward(campaign, crowd, payment)
        return True
    if payment.kind == Payment.Kind.COMPENSATION and payment.carrier_id is None:
        pay_bonus(campaign, crowd, payment)  # its own assignment carries it, which has no reward
        return True
    carrying = payment.carrier_id or payment.submission_id
    rewards = Payment.objects.filter(submission=carrying, kind=Payment.Kind.REWARD)
    if not rewards.filter(state=Payment.State.PAID).exists():
        return False
    pay_bonus(campaign, crowd, payment)
    return True


def pay_reward(campaign: Campaign, crowd: Crowd, payment: Payment) -> None:
    """Have the crowd pay one reward; raises its error when it does not."""
    assignment = payment.submission.assignment_id

    def approve() -> Reply:
        crowd.approve(assignment)  # approving twice is harmless: the crowd pays an assignment once
        return {"approved": assignment}

    key = key_of(campaign, payment)
    perform(
        campaign=campaign,
        operation="approve",
        key=key,
        request={"assignment": assignment},
        act=approve,
        find=lambda _already: None,
    )
    mark_paid(payment, key)
    Submission.objects.filter(pk=payment.submission_id, approved_at=None).update(approved_at=clock.now())


def pay_bonus(campaign: Campaign, crowd: Crowd, payment: Payment) -> None:
    """Have the crowd pay one bonus, exactly once; raises its error when it does not.

    A bonus has no id at the crowd. Its reason ends in a reference of ours, by which the crowd's list tells
    whether it was paid, also when the crowd has forgotten the call's token. A compensation goes with the assignment
    of its carrier, for the crowd does not know the submission that it is for.
    """
    submission = payment.submission
    assignment = (payment.carrier or submission).assignment_id
    key = key_of(campaign, payment)
    identity = CrowdIdentity.objects.filter(worker=submission.worker_id).first()
    if identity is None:
        raise CrowdNever(
            f"Worker {submission.worker_id} was forgotten; a bonus of ${payment.amount} cannot be sent.",
            "Pay it by another way and note it with your records.",
        )
    reference = reference_of(key)

    def send() -> Reply:
        crowd.pay_bonus(
            assignment_id=assignment,
            crowd_worker_id=identity.crowd_worker_id,
            amount=payment.amount,
            reason=f"{payment.reason} {reference}",
            key=key,
        )
        return {"paid": str(payment.amount)}

    def find(_already: CrowdAlready | None) -> Reply | None:
        listed = crowd.bonuses(assignment_id=assignment)
        ours = next((bonus for bonus in listed if bonus.reason.endswith(reference)), None)
        return {"paid": str(ours.amount)} if ours else None

    perform(
        campaign=campaign,
        operation=f"pay_{payment.kind}",
        key=key,
        request={"assignment": assignment, "amount": str(payment.amount)},
        act=send,
        find=find,
        since=submission.submitted_at or submission.finished_at,
    )
    mark_paid(payment, key)


def key_of(campaign: Campaign, payment: Payment) -> str:
    """The key of the call that makes a payment; a bonus has the same for the same assignment, kind and cause.

    The submission's own key is not in a bonus's: after a restore the same work may be recorded under another one.
    """
    if payment.kind == Payment.Kind.REWARD:
        return f"{campaign_key(campaign)}-pay-{payment.submission_id}"
    assignment = hashlib.sha256(payment.submission.assignment_id.encode()).hexdigest()[:16]
    return f"{campaign_key(campaign)}-{payment.kind}-{assignment}-{payment.cause}".rstrip("-")[:64]


def reference_of(key: str) -> str:
    """How the bonus with this key ends in the crowd's list."""
    return f"({REFERENCE} {key})"


def mark_paid(payment: Payment, key: str) -> None:
    """Record that the call with this key paid it."""
    Payment.objects.filter(pk=payment.pk).exclude(state=Payment.State.PAID).update(
        state=Payment.State.PAID, paid_at=clock.now(), call=CrowdCall.objects.get(key=key)
    )


def money(campaign: Campaign) -> dict[str, Decimal]:
    """Dollars with fees: ``spent`` (paid), ``owed``, ``held`` for a person, ``promised`` by live places.

    ``committed`` is all four.
    """
    payments = Payment.objects.filter(submission__campaign=campaign)
    sums = payments.aggregate(
        spent=Sum(F("amount") + F("fee"), filter=Q(state=Payment.State.PAID), default=Decimal(0)),
        owed=Sum(F("amount") + F("fee"), filter=Q(state=Payment.State.OWED), default=Decimal(0)),
        held=Sum(F("amount") + F("fee"), filter=Q(state=Payment.State.HELD), default=Decimal(0)),
    )
    live = Place.objects.filter(
        posting__campaign=campaign, state__in=[Place.State.WANTED, Place.State.OPEN]
    ).count()
    sums = {name: rounded(Decimal(value)) for name, value in sums.items()}  # SQLite sums in binary fractions
    promised = quote_tasks(campaign, live).total
    return {**sums, "promised": promised, "committed": sum(sums.values(), promised)}
