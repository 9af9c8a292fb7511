"""Record and make payments: each submission's reward and bonuses, once each, whether or not its judgments count."""

import hashlib
import logging
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from config import clock
from config.background.job_kinds import Progress
from config.errors import Refusal
from judging.campaign.cost import pay_for
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd
from judging.errors import CrowdAlready, CrowdNever
from judging.exchange.calls import Patience, Reply, perform
from judging.models import Campaign, CrowdCall, CrowdIdentity, Payment, Submission
from judging.rules.pay import Pay
from judging.tasks.evidence import Evidence, progress_of, was_unread

log = logging.getLogger(__name__)
#: The word before the reference at the end of a bonus's reason. The reference identifies the bonus at the crowd.
REFERENCE = "Reference"
#: The operations of the crowd calls that pay a worker.
PAYING = ("approve", "pay_bonus", "pay_top_up", "pay_compensation")


def owe(campaign: Campaign, submission: Submission, work: Evidence) -> None:
    """Record the reward and the bonus owed for a submission that the crowd lists, once each.

    Pay is held until a person decides:
    - all of it, if our page never saw the work;
    - the bonus for pairs that the crowd's form claims beyond those that were saved;
    - the reward, if the work was already paid for by receipt; no bonus is recorded then;
    - the reward, if the worker stopped before the last pair and pay is not split, since the reward covers all pairs;
    - for pairs judged faster than anybody can read, the bonus, or the reward if pay is not split. If the worker also
      stopped before the last pair, both are held, so that one key press per task does not earn the reward.
    """
    if submission.payments.filter(kind=Payment.Kind.REWARD).exists():
        return
    pay = pay_for(campaign)
    compensated = submission.payments.filter(kind=Payment.Kind.COMPENSATION).exists()
    done, split = work.judged == work.shown, bool(pay.bonus)
    earned = work.seen and (not pay.whole or ((done and split) if work.unread else (done or split)))
    state = Payment.State.OWED if earned and not compensated else Payment.State.HELD
    _owe(campaign, submission, Payment.Kind.REWARD, pay.base, state=state)
    if compensated:
        return
    saved, claimed = (pay.bonus_for(pairs, work.shown) for pairs in (work.judged, work.claimed))
    if saved:
        reason = f"Bonus for {work.judged} of {work.shown} pairs judged."
        state = Payment.State.HELD if work.unread else Payment.State.OWED
        _owe(campaign, submission, Payment.Kind.BONUS, saved, reason=reason, state=state)
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
    """Record that a bonus on top of the promised pay is owed, once for each ``cause``."""
    return _owe(campaign, submission, Payment.Kind.TOP_UP, amount, cause=cause, reason=reason)


def owe_kept(campaign: Campaign, submission: Submission) -> Payment:
    """Record the pay for saved work that never reached the crowd, held if :attr:`Earned.sure` is False."""
    done = earned_so_far(submission)
    state = Payment.State.OWED if done.sure else Payment.State.HELD
    reason = f"Pay for {done.judged} of {done.shown} pairs judged in a task that did not reach the task site."
    return _owe(campaign, submission, Payment.Kind.COMPENSATION, done.dollars, reason=reason, state=state)


class Earned(NamedTuple):
    """The pay that a task offers, its numbers of pairs judged and shown, and the dollars earned for those judged.

    ``unread`` says whether the pairs were judged faster than anybody can read.
    """

    pay: Pay
    judged: int
    shown: int
    dollars: Decimal
    unread: bool = False

    @property
    def sure(self) -> bool:
        """True if the pay needs no person's decision.

        This holds if the task pays nothing. It also holds if the pairs were not judged faster than anybody can read,
        and either pay is split or every pair is judged.
        """
        return not self.pay.whole or (not self.unread and (bool(self.pay.bonus) or self.judged == self.shown))


def earned_so_far(submission: Submission) -> Earned:
    pay, (judged, shown) = pay_for(submission.campaign), progress_of(submission)
    return Earned(pay, judged, shown, pay.earned(judged, shown), was_unread(submission, judged))


def pay_owed(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Have the crowd pay everything that the campaign owes; return how many payments were made. Safe to repeat.

    A payment that the crowd refuses permanently stays owed and is listed among the campaign's problems. If the crowd
    cannot make a payment now, or an unexpected error occurs, the other payments continue, and the error is raised at
    the end. Several temporary failures in a row (:class:`Patience`), or an error that concerns all payments, such as
    a low balance, stop at once. A submission's bonuses are paid after its reward. Nothing is paid before the
    campaign's hold hours are over.
    """
    crowd, patience = crowd_for(campaign), Patience()
    due = clock.now() - timedelta(hours=campaign.hold_hours)
    undecided = Payment.objects.filter(
        submission__campaign=campaign, state=Payment.State.OWED, decided_at=None, owed_at__lte=due
    )
    owed = list(undecided.select_related("submission", "carrier"))
    owed.sort(key=lambda payment: (payment.kind != Payment.Kind.REWARD, payment.pk))
    paid, unexpected = 0, None
    for done, payment in enumerate(owed, start=1):
        still = undecided.filter(pk=payment.pk)
        try:
            with suppress(CrowdNever), patience.one():
                if still.exists():  # a person may have decided since the list was read
                    paid += make_payment(campaign, crowd, payment)
        except Refusal:
            raise  # it concerns all payments, for example because the account is out of money
        except Exception as error:
            log.exception("%s: payment %s failed unexpectedly", campaign.name, payment.pk)
            unexpected = unexpected or error
        if progress:
            progress(done, len(owed), "Paying")
    if unexpected:
        raise unexpected
    patience.done()
    return paid


def make_payment(campaign: Campaign, crowd: Crowd, payment: Payment) -> bool:
    """Have the crowd make one payment; return False, without paying, for a bonus whose reward is still unpaid.

    Raises the crowd's error.
    """
    if payment.kind == Payment.Kind.REWARD:
        pay_reward(campaign, crowd, payment)
        return True
    rewards = Payment.objects.filter(
        submission=payment.carrier_id or payment.submission_id, kind=Payment.Kind.REWARD
    )
    # Kept work has no reward: its own assignment, which was never submitted, carries its pay and its top-ups.
    kept = payment.kind == Payment.Kind.COMPENSATION and payment.carrier_id is None
    if not kept and rewards.exists() and not rewards.filter(state=Payment.State.PAID).exists():
        return False
    pay_bonus(campaign, crowd, payment)
    return True


def pay_reward(campaign: Campaign, crowd: Crowd, payment: Payment) -> None:
    """Have the crowd pay one reward, and record the payment. Raises the crowd's error."""
    assignment = payment.submission.assignment_id

    def approve() -> Reply:
        crowd.approve(assignment)  # approving twice is harmless: the crowd pays an assignment once
        return {"approved": assignment}

    key = payment_key(campaign, payment)
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
    """Have the crowd pay one bonus, exactly once. Raises the crowd's error.

    A bonus has no id at the crowd. Its reason ends in our own reference, by which the crowd's list shows whether it
    was paid, even after the call's token has expired. A payment by receipt is made on the carrier's assignment,
    because the crowd has no record of the submission.
    """
    submission = payment.submission
    assignment = (payment.carrier or submission).assignment_id
    key = payment_key(campaign, payment)
    identity = CrowdIdentity.objects.filter(worker=submission.worker_id).first()
    if identity is None:
        raise CrowdNever(
            f"Worker {submission.worker_id} was forgotten; a bonus of ${payment.amount} cannot be sent.",
            "Pay it another way and note it in your records.",
        )
    reference = f"({REFERENCE} {key})"

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
        if ours is None:  # the record of a call with the earlier key can be missing from a restored backup
            earlier = f"({REFERENCE} {possible_keys(campaign, payment)[-1]})"
            to_worker = (one for one in listed if one.crowd_worker_id == identity.crowd_worker_id)
            ours = next((bonus for bonus in to_worker if bonus.reason.endswith(earlier)), None)
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


def payment_key(campaign: Campaign, payment: Payment) -> str:
    """Return the key of the crowd call that makes a payment: the first of :func:`possible_keys`.

    If a call with a compensation's earlier key was begun, that key is used again, so that nothing is paid twice. This
    does not apply if that call made another worker's payment.
    """
    keys = possible_keys(campaign, payment)
    if len(keys) == 1:
        return keys[0]
    calls = {call.key: call for call in CrowdCall.objects.filter(key__in=keys).select_related("payment")}
    return next((key for key in keys if key in calls and is_call_of(calls[key], payment)), keys[0])


def possible_keys(campaign: Campaign, payment: Payment) -> list[str]:
    """Return the keys that the crowd call of a payment can have, the current one first.

    A bonus's key is built from assignment, kind and cause, because the submission's primary key can change when a
    backup is restored. A compensation's key also depends on the worker, because several workers can be compensated
    for one assignment id at a crowd that reuses these ids. Earlier versions left the worker out.
    """
    if payment.kind == Payment.Kind.REWARD:
        return [f"{campaign.call_key}-pay-{payment.submission_id}"]
    submission = payment.submission
    named = [submission.assignment_id]
    if payment.kind == Payment.Kind.COMPENSATION:
        identity = getattr(submission.worker, "identity", None)  # None: the worker was forgotten
        named.insert(0, f"{submission.assignment_id} {identity.crowd_worker_id if identity else ''}")
    hashes = [hashlib.sha256(one.encode()).hexdigest()[:16] for one in named]
    return [f"{campaign.call_key}-{payment.kind}-{one}-{payment.cause}".rstrip("-")[:64] for one in hashes]


def is_call_of(call: CrowdCall, payment: Payment) -> bool:
    """Return whether a call with one of the payment's :func:`possible_keys` made no other payment."""
    made = getattr(call, "payment", None)
    return made is None or made.pk == payment.pk


def mark_paid(payment: Payment, key: str) -> None:
    """Mark a payment as paid by the call with this key, unless it is already marked."""
    Payment.objects.filter(pk=payment.pk).exclude(state=Payment.State.PAID).update(
        state=Payment.State.PAID, paid_at=clock.now(), call=CrowdCall.objects.get(key=key)
    )
