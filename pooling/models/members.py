"""Members of collections, invitations to join, and the log of decisions about each collection."""

from django.conf import settings
from django.db import models

from accounts.roles import CHOICES
from config import clock
from pooling.models.collections import Collection


class Membership(models.Model):
    """A person's role in a collection. accounts.roles defines what each role permits.

    The model is in this app, not in accounts, so that deleting a collection deletes its memberships. A later
    collection of the same name must not inherit them.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=CHOICES)
    since = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "user"], name="one_role_per_person")]


class InvitedMember(models.Model):
    """The role in a collection, and for submitters the team, that a person gets by accepting an invitation."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="invited_members")
    invitation = models.OneToOneField("accounts.Invitation", models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=CHOICES)
    team = models.ForeignKey(
        "pooling.Team",
        models.CASCADE,
        null=True,
        related_name="invited",
        help_text="The team of an invited submitter.",
    )
    granted = models.BooleanField(
        default=False,
        help_text="Whether it became a membership, so that reusing the link cannot undo a later removal.",
    )


class CollectionChange(models.Model):
    """A logged decision about a collection: who, when and what."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="changes")
    what = models.CharField(max_length=300)
    who = models.CharField(max_length=150, blank=True)
    happened_at = models.DateTimeField(default=clock.now)
