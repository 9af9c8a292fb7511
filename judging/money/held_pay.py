"""Pay that is held until a person pays or rejects it.

Pay is held for:
- work that our page never saw;
- work already paid by receipt;
- pairs judged faster than anybody can read;
- partly judged tasks whose pay is not split.

The crowd pays a reward automatically when its review time ends: pages show that time, and the payment is recorded.
Work without a judged pair is rejected before then unless a person decides (``PREFEREE_REJECT_UNJUDGED_HOURS``), so
that an empty form does not earn the reward.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.utils import translation
from django.utils.translation import gettext

from config import clock
from config.plurals import many
from judging.campaign.campaigns import log_change
from judging.campaign.worker_texts import contact_of
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused, CrowdNever
from judging.exchange.calls import Patience, record_found
from judging.models import Campaign, Discrepancy, Payment, Slot, Submission
from judging.money.discrepancies import receipt_of, resolve_only_there
from judging.money.ledger import APPROVED
from judging.money.payments import mark_paid, payment_key
from judging.money.rejections import decide_rejection
from judging.tasks.evidence import continued_later, was_unread

LONGEST_WHY = 1000
#: The maximum length of a contact in the feedback to a worker, in characters. The crowd limits the whole feedback.
LONGEST_CONTACT = 500
#: The reason that a worker reads when a person pays part of a bonus.
PART = "Part of the bonus."


@dataclass(frozen=True)
class HeldWork:
    """A submission whose payments are held until a person decides.

    ``answered`` is the number of pairs in the crowd's form, and ``saved`` the number that our page saved.

    ``compensated`` says whether the work was paid by receipt before the crowd listed it. ``stopped`` says whether all
    answered pairs were saved; unless the work is ``unread``, they are only a part of the task. ``opened`` says
    whether the worker was shown the pairs, and ``unread`` whether they were judged faster than anybody can read.
    ``continued`` says whether the pairs were judged, but count only in a later submission in which the worker
    continued the task.
    """

    submission: Submission
    payments: tuple[Payment, ...]
    answered: int
    saved: int
    compensated: bool
    stopped: bool
    opened: bool = True
    unread: bool = False
    continued: bool = False

    @property
    def amount(self) -> Decimal:
        """The total of the held payments in dollars, without fees."""
        return sum((payment.amount for payment in self.payments), Decimal(0))

    @property
    def reward(self) -> Decimal:
        """The held reward in dollars, which the crowd pays in full or not at all; 0 if only a bonus is held."""
        rewards = (one.amount for one in self.payments if one.kind == Payment.Kind.REWARD)
        return sum(rewards, Decimal(0))

    @property
    def pays_itself_at(self) -> datetime | None:
        """The time at which the crowd pays the reward if nobody decides; None if it will not pay automatically."""
        return None if self.rejects_itself_at else self._crowd_pays_at

    @property
    def rejects_itself_at(self) -> datetime | None:
        """The time at which the work is rejected if nobody decides; None if it is not rejected automatically.

        Only work without a judged pair has such a time. It is ``REJECT_UNJUDGED_HOURS`` before the crowd pays, but
        not in the first half of the review time.
        """
        hours, until, since = (
            settings.REJECT_UNJUDGED_HOURS,
            self._crowd_pays_at,
            self.submission.submitted_at,
        )
        if self.saved or self.stopped or self.compensated or not (hours and until and since):
            return None
        return until - min(timedelta(hours=hours), (until - since) / 2)

    @property
    def _crowd_pays_at(self) -> datetime | None:
        """The end of the crowd's review time for the reward; None if the reward is not held."""
        held = any(one.kind == Payment.Kind.REWARD for one in self.payments)
        return self.submission.auto_approval_at if held else None

    @property
    def why(self) -> str:
        """A sentence that says why the pay is held."""
        if self.compensated:
            return "It was paid by its receipt before the crowd listed it."
        if self.unread:
            return f"{many(self.saved, 'pair was', 'pairs were')} judged faster than anybody can read."
        if self.stopped:
            return (
                f"The worker stopped after {many(self.saved, 'pair')}, and the reward is for the whole task."
            )
        if self.continued and not self.saved:
            return (
                "The worker continued this task in a later submission, so its judged pairs count only there. "
                f"The crowd's form answers {many(self.answered, 'pair')}."
            )
        if not self.saved:
            seen = "No pair was judged on our page" if self.opened else "Our page never saw this work"
            return f"{seen}. The crowd's form answers {many(self.answered, 'pair')}."
        return f"The crowd's form answers {many(self.answered, 'pair')}; our page saved {self.saved:,}."

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for the API and ``--json``, with dollars as Decimal."""
        return {
            "submission": self.submission.pk,
            "worker": self.submission.worker_id,
            "amount": self.amount,
            "reward": self.reward,
            "answered": self.answered,
            "saved": self.saved,
            "why": self.why,
            "pays_itself_at": self.pays_itself_at,
            "rejects_itself_at": self.rejects_itself_at,
        }


def held_work(campaign: Campaign) -> list[HeldWork]:
    """Return the campaign's submissions with held pay. The one that the crowd pays soonest comes first."""
    return held_by_campaign([campaign.pk]).get(campaign.pk, [])


def held_by_campaign(campaigns: Collection[int]) -> dict[int, list[HeldWork]]:
    """Map campaign keys to the submissions with held pay, in the order of :func:`held_work`.

    Campaigns without held pay are left out.
    """
    held = Payment.objects.filter(
        submission__campaign__in=campaigns, state=Payment.State.HELD, decided_at=None
    ).select_related("submission__campaign", "submission__worker")
    by_submission: dict[int, list[Payment]] = {}
    for payment in held.order_by("submission__auto_approval_at", "submission_id", "pk"):
        by_submission.setdefault(payment.submission_id, []).append(payment)
    if not by_submission:
        return {}
    noted = Discrepancy.objects.filter(submission__in=by_submission, kind=Discrepancy.Kind.ONLY_THERE)
    details = dict(noted.values_list("submission", "detail"))
    receipts = Payment.objects.filter(submission__in=by_submission, kind=Payment.Kind.COMPENSATION)
    receipts = receipts.exclude(state=Payment.State.HELD)  # a held compensation waits for the same decision
    compensated = set(receipts.values_list("submission", flat=True))
    judged = _pairs_judged(by_submission.keys() - details.keys())
    opened = set(Slot.objects.filter(submission__in=by_submission).values_list("submission", flat=True))
    continued = continued_later(by_submission)
    found: dict[int, list[HeldWork]] = {}
    for key, payments in by_submission.items():
        submission = payments[0].submission
        saved = details.get(key, {}).get("saved", judged.get(key, 0))
        one = HeldWork(
            submission,
            tuple(payments),
            details.get(key, {}).get("answered", judged.get(key, 0)),
            saved,
            compensated=key in compensated,
            stopped=key not in details and key not in compensated,
            opened=key in opened,
            unread=key not in details and key not in compensated and was_unread(submission, saved),
            continued=key in continued,
        )
        found.setdefault(submission.campaign_id, []).append(one)
    return found


def _pairs_judged(submissions: Iterable[int]) -> dict[int, int]:
    """Map submission keys to the number of pairs that have a choice, gold pairs included."""
    chosen = Slot.objects.filter(submission__in=submissions, choices__isnull=False)
    counts = chosen.values_list("submission").annotate(Count("pk", distinct=True)).order_by()
    return dict(counts)


def held_in_words(campaign: Campaign) -> str:
    """Return sentences on the held amount and on what happens if nobody decides; empty if nothing is held."""
    held = held_work(campaign)
    if not held:
        return ""
    dollars = sum((one.amount for one in held), Decimal(0))
    amount = f"${dollars:,.2f} for {many(len(held), 'submission')}"
    return f"{amount} is held until you decide. {undecided_words(held)}".strip()


def undecided_words(held: Sequence[HeldWork]) -> str:
    """Return sentences on the first automatic payment and the first automatic rejection; empty if there are none."""
    paid = min((at for one in held if (at := one.pays_itself_at)), default=None)
    rejected = min((at for one in held if (at := one.rejects_itself_at)), default=None)
    told = []
    if paid:
        told.append(f"The crowd pays the first reward automatically on {paid:%Y-%m-%d %H:%M} UTC.")
    if rejected:
        told.append(f"Submissions without a judged pair are rejected from {rejected:%Y-%m-%d %H:%M} UTC on.")
    return " ".join(told)


def reject_unjudged(campaign: Campaign) -> int:
    """Reject undecided submissions without a judged pair when their automatic rejection is due.

    The rejection is recorded like a person's decision: :mod:`judging.money.rejections` reports it to the crowd and
    can take it back. A submission with choices that our server saved or signed is never rejected here, unless
    they count only in a later submission (:func:`judging.tasks.evidence.continued_later`).
    """
    now, done = clock.now(), 0
    for one in held_work(campaign):
        if one.rejects_itself_at is None or one.rejects_itself_at > now:
            continue
        why = _rejection_words(campaign, one)
        with suppress(CampaignRefused):  # somebody has just decided
            decide_rejection(one.submission, why=why)
            done += 1
    return done


def _rejection_words(campaign: Campaign, held: HeldWork) -> str:
    """Return why this submission without a judged pair is rejected, for its worker."""
    with translation.override(campaign.wording):
        if held.continued:
            why = gettext(
                "You continued this task in a later one, and its pairs count only there, so this one is not paid. If "
                "you think this is a mistake, write to {contact} and include this receipt: {receipt}. A rejection "
                "can be taken back."
            )
        else:
            why = gettext(
                "No pair of this task was judged on our page, so it is not paid. If you think this is a mistake, "
                "write to {contact} and include this receipt: {receipt}. A rejection can be taken back."
            )
        return why.format(contact=contact_of(campaign)[:LONGEST_CONTACT], receipt=receipt_of(held.submission))


@transaction.atomic
def pay_held(
    campaign: Campaign, submission: Submission, *, amount: Decimal | None = None, why: str = "", who: str = ""
) -> Decimal:
    """Release a submission's held pay, all of it or ``amount`` dollars, for the next collection; return the amount.

    The rest is rejected. The reward is always paid in full, so a partial payment is the reward and some of the bonus.
    Raises BadInput for an impossible amount or a partial payment without a reason. Raises CampaignRefused if nothing
    is held or somebody else has just decided.
    """
    found = next((one for one in held_work(campaign) if one.submission.pk == submission.pk), None)
    if found is None:
        raise CampaignRefused(f"No pay is held for submission {submission.pk}.")
    amount, why = found.amount if amount is None else amount, why.strip()
    _check_amount(found, amount, why)
    left, changed = amount, 0
    for payment in sorted(found.payments, key=lambda one: one.kind != Payment.Kind.REWARD):
        part = min(payment.amount, left)
        left -= part
        changed += _owe_or_reject(campaign, payment, part, why=why, who=who)
    if changed != len(found.payments):
        transaction.set_rollback(True)
        raise CampaignRefused(f"Somebody else has just decided on submission {submission.pk}.")
    resolve_only_there(submission, f"${amount:,.2f} paid")
    log_change(
        campaign,
        f"${amount:,.2f} of ${found.amount:,.2f} held for submission {submission.pk} paid",
        why=why,
        who=who,
    )
    return amount


def _check_amount(found: HeldWork, amount: Decimal, why: str) -> None:
    if not amount.is_finite() or not found.reward <= amount <= found.amount or amount != round(amount, 2):
        raise BadInput(
            f"Choose an amount between ${found.reward:,.2f} and ${found.amount:,.2f}, in dollars and cents.",
            "The crowd site pays the reward in full or not at all. To pay nothing, reject the submission."
            if found.reward
            else "",
        )
    if len(why) > LONGEST_WHY or (amount < found.amount and not why):
        raise BadInput(
            f"Add a reason of at most {LONGEST_WHY:,} characters for the partial payment.",
            "The reason is kept with the payment.",
        )


def _owe_or_reject(campaign: Campaign, payment: Payment, part: Decimal, *, why: str, who: str) -> int:
    """Mark ``part`` dollars of a held payment as owed, or reject it if ``part`` is 0; return how many rows change."""
    decided = {"decided_at": clock.now(), "decided_by": who, "decided_why": why}
    changes: dict[str, Any] = {"state": Payment.State.OWED, "owed_at": clock.now()}
    if not part and payment.amount:
        changes = {"state": Payment.State.REJECTED, **decided}
    elif part < payment.amount:
        changes |= {"amount": part, "fee": crowd_for(campaign).fees.on(part), "reason": PART}
    still = Payment.objects.filter(pk=payment.pk, state=Payment.State.HELD, decided_at=None)
    return still.update(**changes)


def note_paid_by_the_crowd(campaign: Campaign) -> int:
    """Mark held rewards as paid if the crowd paid them when its review time ended; return their number."""
    rewards = Payment.objects.filter(
        submission__campaign=campaign,
        state=Payment.State.HELD,
        kind=Payment.Kind.REWARD,
        submission__auto_approval_at__lte=clock.now(),
    ).select_related("submission")
    crowd, patience, paid = crowd_for(campaign), Patience(), 0
    for reward in rewards.order_by("pk"):
        assignment = reward.submission.assignment_id
        with suppress(CrowdNever), patience.one():
            if crowd.submission(assignment).status != APPROVED:
                continue
            key = payment_key(campaign, reward)
            record_found(campaign=campaign, operation="approve", key=key, reply={"approved": assignment})
            mark_paid(reward, key)
            what = (
                f"${reward.amount:,.2f} held for submission {reward.submission_id} paid by the crowd itself"
            )
            log_change(campaign, what, why="its review time was over")
            paid += 1
    patience.done()
    return paid
