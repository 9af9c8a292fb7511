"""Money that campaigns may commit, reserved before anything is offered."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from config import clock
from judging.models.campaign import Campaign
from pooling.models import SpendingGrant


class Purse(models.Model):
    """One row, written first by everybody who reserves money: of two at once, the second waits and sees the first."""

    turn = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_purse")]

    def __str__(self) -> str:
        return f"turn {self.turn}"


class Reservation(models.Model):
    """Dollars, fees included, that a campaign may commit, and the grant that they count against.

    Without a grant they were reserved by an administrator or by the operator in the terminal. Once the campaign is
    closed, ``amount`` is what was really spent.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="reservations")
    grant = models.ForeignKey(SpendingGrant, models.SET_NULL, null=True, related_name="+")
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    who = models.CharField(max_length=150, blank=True)
    made_at = models.DateTimeField(default=clock.now)
    settled_at = models.DateTimeField(null=True, help_text="When only real spending was left of it.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gte=0), name="reserved_not_negative")]

    def __str__(self) -> str:
        return f"${self.amount} for {self.campaign_id}"
