"""Money that campaigns can commit, reserved before anything is posted."""

from django.db import models
from django.db.models import Q

from config import clock
from judging.models.campaign import Campaign
from pooling.models import SpendingGrant


class Purse(models.Model):
    """A table of one row. Every reservation updates the row first, so that concurrent reservations take turns."""

    turn = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_purse")]


class Reservation(models.Model):
    """An amount in dollars, fees included, that a campaign can commit, and the grant that it counts against.

    ``grant`` is null if none was needed, as for an administrator or the operator in the terminal, or if it was
    deleted since. Once the reservation is settled, ``amount`` is its part of the amount actually spent.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="reservations")
    grant = models.ForeignKey(SpendingGrant, models.SET_NULL, null=True, related_name="+")
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    who = models.CharField(max_length=150, blank=True)
    made_at = models.DateTimeField(default=clock.now)
    settled_at = models.DateTimeField(null=True, help_text="When it was reduced to the actual spending.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gte=0), name="reserved_not_negative")]
