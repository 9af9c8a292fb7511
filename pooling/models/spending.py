"""Grants to spend the installation's crowd money, and the log of decisions about them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config import clock
from pooling.models.collections import Collection


class SpendingGrant(models.Model):
    """A grant of crowd money, to be used by a given day.

    It is for one person, or for everyone who may spend money in a collection. Administrators need no grant. The app
    ``judging`` stores how much of a grant each campaign uses.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    collection = models.ForeignKey(
        Collection,
        models.CASCADE,
        null=True,
        related_name="spending_grants",
        help_text="The collection that can use the grant, instead of a person.",
    )
    amount = models.DecimalField(max_digits=12, decimal_places=2, help_text="Dollars, fees included.")
    last_day = models.DateField(help_text="The last day (UTC) on which it can be used.")
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=clock.now)
    created_by = models.CharField(max_length=150, blank=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(person=None, collection__isnull=False) | Q(person__isnull=False, collection=None),
                name="grant_to_a_person_or_a_collection",
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="grant_of_some_amount"),
        ]

    @property
    def to(self) -> str:
        """The name of the person or collection that received the grant."""
        return self.person.get_username() if self.person else str(self.collection)


class SpendingGrantChange(models.Model):
    """A logged decision about a grant: who, when and what."""

    grant = models.ForeignKey(SpendingGrant, models.CASCADE, related_name="changes")
    what = models.CharField(max_length=300)
    who = models.CharField(max_length=150, blank=True)
    happened_at = models.DateTimeField(default=clock.now)
