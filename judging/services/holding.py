"""Pay that is held for a person: for work that our page never saw, or that was paid by its receipt before, and
pay that is not split for a task of which a part was judged.

Software neither pays nor rejects it. The crowd does pay a reward by itself when its own time for a review is over:
what is held names that time, and what the crowd paid is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, Min

from config import clock
from config.plurals import many
from judging.crowds import crowd_for
from judging.errors import BadInput, CampaignRefused, CrowdNever
from judging.models import Campaign, Discrepancy, Payment, Slot, Submission
from judging.services.calls import Patience, record_found
from judging.services.campaigns import log
from judging.services.ledger import APPROVED
from judging.services.payments import key_of, mark_paid
from judging.services.reconciling import resolve_only_there

LONGEST_WHY = 1000
#: What a worker reads of a bonus of which a person paid a part.
PART = "Part of the bonus."


@dataclass(frozen=True)
class HeldWork:
    """A submission whose pay waits for a person. Pairs: ``answered`` in the crowd's form, ``saved`` by our page.

    ``compensated``: it was paid by its receipt before the crowd listed it. ``stopped``: all that it claims was saved,
    but it is only a part of the task.
    """

    submission: Submission
    payments: tuple[Payment, ...]
    answered: int
    saved: int
    compensated: bool
    stopped: bool

    @property
    def amount(self) -> Decimal:
        """Dollars without fees."""
        return sum((payment.amount for payment in self.payments), Decimal(0))

    @property
    def reward(self) -> Decimal:
        """The part of it that the crowd pays whole or not at all: the reward, when that is held."""
        rewards = (one.amount for one in self.payments if one.kind == Payment.Kind.REWARD)
        return sum(rewards, Decimal(0))

    @property
    def pays_itself_at(self) -> datetime | None:
        """When the crowd pays the reward unless a person decides before; None when it is not held."""
        held = any(one.kind == Payment.Kind.REWARD for one in self.payments)
        return self.submission.auto_approval_at if held else None

    @property
    def why(self) -> str:
        """Why it is held, in a sentence."""
        if self.compensated:
            return "It was paid by its receipt before the crowd listed it."
        if self.stopped:
            return (
                f"The worker stopped after {many(self.saved, 'pair')}, and the reward is for the whole task."
            )
        if not self.saved:
            return f"Our page never saw this work. The crowd's form answers {many(self.answered, 'pair')}."
        return f"The crowd's form answers {many(self.answered, 'pair')}; our page saved {self.saved:,}."

    def as_dict(self) -> dict[str, Any]:
        """The same for programs; dollars as Decimal."""
        return {
            "submission": self.submission.pk,
            "worker": self.submission.worker_id,
            "amount": self.amount,
            "reward": self.reward,
            "answered": self.answered,
            "saved": self.saved,
            "why": self.why,
            "pays_itself_at": self.pays_itself_at,
        }


def held_work(campaign: Campaign) -> list[HeldWork]:
    """Everything that waits for a decision, what the crowd pays by itself first in front."""
    held = Payment.objects.filter(
        submission__campaign=campaign, state=Payment.State.HELD, decided_at=None
    ).select_related("submission")
    by_submission: dict[int, list[Payment]] = {}
    for payment in held.order_by("submission__auto_approval_at", "submission_id", "pk"):
        by_submission.setdefault(payment.submission_id, []).append(payment)
    noted = Discrepancy.objects.filter(submission__in=by_submission, kind=Discrepancy.Kind.ONLY_THERE)
    details = dict(noted.values_list("submission", "detail"))
    receipts = Payment.objects.filter(submission__in=by_submission, kind=Payment.Kind.COMPENSATION)
    receipts = receipts.exclude(state=Payment.State.HELD)  # else it is this very decision that waits
    compensated = set(receipts.values_list("submission", flat=True))
    judged = _pairs_judged(by_submission.keys() - details.keys())
    return [
        HeldWork(
            payments[0].submission,
            tuple(payments),
            details.get(key, {}).get("answered", judged.get(key, 0)),
            details.get(key, {}).get("saved", judged.get(key, 0)),
            compensated=key in compensated,
            stopped=key not in details and key not in compensated,
        )
        for key, payments in by_submission.items()
    ]


def _pairs_judged(submissions: Iterable[int]) -> dict[int, int]:
    """Submission → pairs with a choice, gold pairs included."""
    chosen = Slot.objects.filter(submission__in=submissions, choices__isnull=False)
    counts = chosen.values_list("submission").annotate(Count("pk", distinct=True)).order_by()
    return dict(counts)


def held_in_words(campaign: Campaign) -> str:
    """How much is held, what that means and by when to decide; empty when nothing is."""
    held = held_work(campaign)
    if not held:
        return ""
    dollars = sum((one.amount for one in held), Decimal(0))
    first = min((at for one in held if (at := one.pays_itself_at)), default=None)
    by_itself = f" The crowd pays the first reward by itself on {first:%Y-%m-%d %H:%M} UTC." if first else ""
    return f"${dollars:,.2f} for {many(len(held), 'submission')} is held until you decide.{by_itself}"


@transaction.atomic
def pay_held(
    campaign: Campaign, submission: Submission, *, amount: Decimal | None = None, why: str = "", who: str = ""
) -> Decimal:
    """Pay what is held for a submission, all of it or ``amount`` dollars; the next collection has the crowd do it.

    The reward is paid whole: a part is the reward and some of the bonus. Returns the dollars. Raises BadInput for
    an amount that cannot be or a part without a reason, and CampaignRefused when nothing is held any more.
    """
    found = next((one for one in held_work(campaign) if one.submission.pk == submission.pk), None)
    if found is None:
        raise CampaignRefused(f"No pay is held for submission {submission.pk}.")
    amount, why = found.amount if amount is None else amount, why.strip()
    _check(found, amount, why)
    left, changed = amount, 0
    for payment in sorted(found.payments, key=lambda one: one.kind != Payment.Kind.REWARD):
        part = min(payment.amount, left)
        left -= part
        changed += _decide(campaign, payment, part, why=why, who=who)
    if changed != len(found.payments):
        transaction.set_rollback(True)
        raise CampaignRefused(f"Somebody else has just decided about submission {submission.pk}.")
    resolve_only_there(submission, f"${amount:,.2f} paid")
    log(
        campaign,
        f"${amount:,.2f} of ${found.amount:,.2f} held for submission {submission.pk} paid",
        why=why,
        who=who,
    )
    return amount


def _check(found: HeldWork, amount: Decimal, why: str) -> None:
    if not amount.is_finite() or not found.reward <= amount <= found.amount or amount != round(amount, 2):
        raise BadInput(
            f"Between ${found.reward:,.2f} and ${found.amount:,.2f} can be paid, in dollars and cents.",
            "The crowd pays the reward whole or not at all: to pay nothing, reject the submission."
            if found.reward
            else "",
        )
    if len(why) > LONGEST_WHY or (amount < found.amount and not why):
        raise BadInput(
            f"Give a reason of at most {LONGEST_WHY:,} characters for paying a part.",
            "It is kept with the payment.",
        )


def _decide(campaign: Campaign, payment: Payment, part: Decimal, *, why: str, who: str) -> int:
    """Owe ``part`` of a held payment from now on, or refuse it when that is nothing; how many rows that changed."""
    decided = {"decided_at": clock.now(), "decided_by": who, "decided_why": why}
    changes: dict[str, Any] = {"state": Payment.State.OWED, "owed_at": clock.now()}
    if not part and payment.amount:
        changes = {"state": Payment.State.REJECTED, **decided}
    elif part < payment.amount:
        changes |= {"amount": part, "fee": crowd_for(campaign).fees.on(part), "reason": PART}
    still = Payment.objects.filter(pk=payment.pk, state=Payment.State.HELD, decided_at=None)
    return still.update(**changes)


def note_paid_by_the_crowd(campaign: Campaign) -> int:
    """Record held rewards that the crowd paid by itself, its time for a review being over; returns how many."""
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
            key = key_of(campaign, reward)
            record_found(campaign=campaign, operation="approve", key=key, reply={"approved": assignment})
            mark_paid(reward, key)
            what = (
                f"${reward.amount:,.2f} held for submission {reward.submission_id} paid by the crowd itself"
            )
            log(campaign, what, why="its time for a review was over")
            paid += 1
    patience.done()
    return paid


def next_to_pay_itself(campaigns: list[int]) -> dict[int, tuple[int, datetime | None]]:
    """Campaign → how many submissions wait for a decision about their pay, and when the crowd pays the first."""
    held = Payment.objects.filter(
        submission__campaign__in=campaigns, state=Payment.State.HELD, decided_at=None
    )
    found: dict[int, tuple[int, datetime | None]] = {}
    counts = held.values_list("submission__campaign", "submission").distinct()
    firsts = dict(
        held.filter(kind=Payment.Kind.REWARD)
        .values_list("submission__campaign")
        .annotate(Min("submission__auto_approval_at"))
        .order_by()
    )
    for campaign, _ in counts:
        found[campaign] = (found.get(campaign, (0, None))[0] + 1, firsts.get(campaign))
    return found
