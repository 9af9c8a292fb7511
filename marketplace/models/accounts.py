"""Requesters with their keys, and workers with their sign-in links and messages."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import F, Q

from marketplace.protocol import identifiers
from marketplace.rules import worker_names


class Requester(models.Model):
    """Someone who offers tasks. Amounts are in cents.

    ``held_cents`` is reserved for places that are available, taken or in review.
    """

    name = models.CharField(max_length=120, unique=True)
    email = models.EmailField(blank=True)
    balance_cents = models.BigIntegerField(default=0)
    held_cents = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(held_cents__gte=0), name="requester_held_not_negative"),
            models.CheckConstraint(
                condition=Q(balance_cents__gte=F("held_cents")), name="requester_never_overdrawn"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def available_cents(self) -> int:
        """The amount that can still be reserved or paid, in cents."""
        return self.balance_cents - self.held_cents


class RequesterKeyQuerySet(models.QuerySet["RequesterKey"]):
    def valid_at(self, now: datetime) -> RequesterKeyQuerySet:
        """Return the keys that can sign calls at ``now``."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), active=True)


class RequesterKey(models.Model):
    """An access key. The secret is stored in plain text, because checking a signature requires it."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="keys")
    access_key = models.CharField(max_length=64, unique=True, default=identifiers.access_key)
    secret_key = models.CharField(max_length=128, default=identifiers.secret_key)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    # The time when a replaced key stops working. Until then, the programs that use it can be updated.
    expires_at = models.DateTimeField(null=True)

    objects = RequesterKeyQuerySet.as_manager()

    def state(self, now: datetime) -> str:
        """Return ``valid``, ``replaced`` (still valid for a while), ``expired`` or ``revoked``."""
        if not self.active:
            return "revoked"
        if self.expires_at is None:
            return "valid"
        return "replaced" if self.expires_at > now else "expired"


class WorkerManager(BaseUserManager["Worker"]):
    """A manager that finds workers by sign-in name, ignoring case."""

    def get_by_natural_key(self, username: str | None) -> Worker:
        """Return the worker who signs in as ``username``."""
        return self.get(username=worker_names.one_spelling(username or ""))


class Worker(AbstractBaseUser):
    """Someone who does tasks.

    Scores in system qualifications, such as the approval rate, are computed from this row.
    """

    worker_id = models.CharField(max_length=64, unique=True, default=identifiers.worker_id)
    username = models.CharField(max_length=worker_names.LONGEST, unique=True)
    email = models.EmailField(blank=True)
    email_confirmed_at = models.DateTimeField(null=True)
    country = models.CharField(max_length=2, blank=True)
    # True if an operator set the country; the worker cannot change it then.
    country_by_operator = models.BooleanField(default=False)
    subdivision = models.CharField(max_length=2, blank=True)
    # Tags such as "en", separated by commas. If empty, tasks in every language are listed.
    languages = models.CharField(max_length=400, blank=True)
    # How the worker is paid outside the marketplace. Only the payout file shows the details.
    payout_method = models.CharField(max_length=60, blank=True)
    payout_details = models.CharField(max_length=500, blank=True)
    is_adult = models.BooleanField(default=False)
    is_master = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    # A program that works in place of people. It is not paid.
    is_program = models.BooleanField(default=False)
    # When the personal data was erased. The row stays for the books and for requesters.
    forgotten_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    submitted_count = models.PositiveIntegerField(default=0)
    approved_count = models.PositiveIntegerField(default=0)
    rejected_count = models.PositiveIntegerField(default=0)
    earned_cents = models.BigIntegerField(default=0)

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar = []
    objects = WorkerManager()

    def __str__(self) -> str:
        return self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the name in lower case, so that no two workers differ only by case."""
        self.username = worker_names.one_spelling(self.username)
        super().save(*args, **kwargs)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open_at(self, now: datetime) -> InvitationQuerySet:
        """Return the invitations that can be used at ``now``."""
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=now)


class SigninLink(models.Model):
    """A link that signs a worker in once. Only its nonce is stored; the link itself is signed."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="signin_links")
    nonce = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Invitation(models.Model):
    """A link that creates one account. Only its nonce is stored; the link itself is signed."""

    nonce = models.CharField(max_length=64, unique=True)
    email = models.EmailField(blank=True)
    mailed = models.BooleanField(default=False)
    note = models.CharField(max_length=200, blank=True)
    country = models.CharField(max_length=2, blank=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    worker = models.OneToOneField(Worker, on_delete=models.SET_NULL, null=True, related_name="invitation")

    objects = InvitationQuerySet.as_manager()

    def state(self, now: datetime) -> str:
        """Return ``open``, ``used``, ``revoked`` or ``expired``."""
        if self.used_at is not None:
            return "used"
        if self.revoked_at is not None:
            return "revoked"
        return "open" if self.expires_at > now else "expired"


class WorkerMessage(models.Model):
    """A requester's message, or a notice about a qualification, shown on the worker's home page."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="messages")
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    # The time when the message ceased to apply, because the requester offered tasks to this worker again.
    over_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["worker", "-id"], name="message_of_worker")]

    @property
    def is_new(self) -> bool:
        """True if the message is unread and still applies."""
        return self.read_at is None and self.over_at is None


class Letter(models.Model):
    """A worker's message to a requester, who replies with NotifyWorkers."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="letters")
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="letters")
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["worker", "-id"], name="letter_of_worker"),
            models.Index(fields=["requester", "-id"], name="letter_to_requester"),
        ]
