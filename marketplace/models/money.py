"""Movements of money, in cents. Rows are only appended; only a payout is edited, when its result is recorded."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from marketplace.models.accounts import Requester, Worker
from marketplace.models.hits import Assignment
from marketplace.protocol import identifiers


class Bonus(models.Model):
    """A bonus paid for an assignment."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="bonuses")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="bonuses")
    amount_cents = models.BigIntegerField()
    reason = models.TextField()
    granted_at = models.DateTimeField()


class LedgerEntry(models.Model):
    """One movement of a requester's balance. The sum of the movements is the balance.

    ``amount_cents`` goes to the requester (positive) or to a worker (negative). ``fee_cents`` is the marketplace's
    fee (never positive).
    """

    class Kind(models.TextChoices):
        """Reasons for a movement."""

        OPENING = "opening"
        TOP_UP = "top up"
        REWARD = "reward"
        BONUS = "bonus"

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="ledger")
    kind = models.CharField(max_length=8, choices=Kind)
    amount_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField(default=0)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, null=True, related_name="ledger")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, related_name="ledger")
    bonus = models.OneToOneField(Bonus, on_delete=models.PROTECT, null=True, related_name="ledger_entry")
    # The caller's reference for a top-up; each is entered only once.
    reference = models.CharField(max_length=100, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["requester", "reference"],
                condition=~Q(reference=""),
                name="ledger_reference_once",
            ),
            # Allows only one reward per assignment, even in a race.
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(kind="reward"), name="ledger_reward_once"
            ),
            models.CheckConstraint(condition=Q(fee_cents__lte=0), name="ledger_fee_not_positive"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["requester", "-id"], name="ledger_of_requester"),
            models.Index(fields=["worker", "-id"], name="ledger_of_worker"),
        ]


class PayoutBatch(models.Model):
    """A set of unpaid earnings, collected for payment outside the marketplace."""

    name = models.CharField(max_length=60, unique=True)
    requester = models.ForeignKey(
        Requester, on_delete=models.PROTECT, null=True, related_name="payout_batches"
    )
    until = models.DateTimeField()
    made_at = models.DateTimeField()


class Payout(models.Model):
    """One worker's payment in a batch. Its amount is the sum of its items and of the failed payouts it replaces."""

    class State(models.TextChoices):
        """The states of a payout. It is due until the operator records it as paid or failed."""

        DUE = "due"
        PAID = "paid"
        FAILED = "failed"

    batch = models.ForeignKey(PayoutBatch, on_delete=models.PROTECT, related_name="payouts")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="payouts")
    reference = models.CharField(max_length=64, unique=True, default=identifiers.payout_reference)
    amount_cents = models.BigIntegerField()
    state = models.CharField(max_length=6, choices=State, default=State.DUE)
    decided_at = models.DateTimeField(null=True)
    note = models.CharField(max_length=500, blank=True)
    # The later payout that includes the amount of this failed one.
    made_good_by = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="makes_good")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["batch", "worker"], name="payout_once_per_batch"),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="payout_positive"),
        ]


class PayoutItem(models.Model):
    """One reward or bonus in one payout. The constraint prevents a second payout, even in a race."""

    payout = models.ForeignKey(Payout, on_delete=models.PROTECT, related_name="items")
    entry = models.OneToOneField(LedgerEntry, on_delete=models.PROTECT, related_name="payout_item")
