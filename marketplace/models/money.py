"""Where the money went. Rows are appended, never edited; amounts are cents."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from marketplace.models.accounts import Requester, Worker
from marketplace.models.hits import Assignment


class Bonus(models.Model):
    """A bonus paid for an assignment."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="bonuses")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="bonuses")
    amount_cents = models.BigIntegerField()
    reason = models.TextField()
    granted_at = models.DateTimeField()


class LedgerEntry(models.Model):
    """One movement of a requester's balance; their sum is the balance.

    ``amount_cents`` goes to the requester (positive) or to a worker (negative); ``fee_cents`` is what the
    marketplace takes with it (never positive).
    """

    class Kind(models.TextChoices):
        """Why the balance moved."""

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
    made_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # Whatever races: a reward is paid once per assignment.
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(kind="reward"), name="ledger_reward_once"
            ),
            models.CheckConstraint(condition=Q(fee_cents__lte=0), name="ledger_fee_not_positive"),
        ]
        indexes: ClassVar = [models.Index(fields=["requester", "-id"], name="ledger_of_requester")]
