"""The product's users: people who launch campaigns and run leaderboards. Workers are not users."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q

from config import clock


class User(AbstractUser):
    """A person who signs in. A custom user model, so that fields can be added later."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the person. A new password revokes the person's API tokens, whichever page or command set it.

        ``_password`` holds a new password until it is saved. It is None if Django only rehashed the same password.
        """
        is_new = self._password is not None  # type: ignore[attr-defined]
        super().save(*args, **kwargs)
        if is_new:
            self._end_tokens()

    def set_unusable_password(self) -> None:
        """Remove the password. Like a new password, this revokes the person's API tokens."""
        super().set_unusable_password()
        if self.pk:
            self._end_tokens()

    def _end_tokens(self) -> None:
        self.api_tokens.filter(revoked_at=None).update(revoked_at=clock.now())


class InvitationQuerySet(models.QuerySet):
    def open(self, now: datetime) -> InvitationQuerySet:
        """Return the invitations that can still be used."""
        return self.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=now)


class Invitation(models.Model):
    """A single-use link. One person creates an account with it, or accepts it with an existing account."""

    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the link's secret.")
    administrator = models.BooleanField(
        default=False, help_text="The account can do anything in this installation."
    )
    mailed = models.BooleanField(
        default=False,
        help_text="The link was mailed, so the person who uses it receives mail at the address.",
    )
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_by=None) | Q(accepted_at__isnull=False), name="accepted_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return self.email


class ApiTokenQuerySet(models.QuerySet):
    def usable(self, now: datetime) -> ApiTokenQuerySet:
        """Return the tokens that are neither revoked nor expired and belong to a person with an active account."""
        return self.filter(revoked_at=None, expires_at__gt=now, user__is_active=True)


class ApiToken(models.Model):
    """A secret that scripts send instead of a password. Its text is shown once; only its hash is stored."""

    class Scope(models.TextChoices):
        READ = "read", "read what you can see"
        RUNS = (
            "runs",
            "manage collections (files, labels, board policy, private queries), upload and describe runs",
        )
        CAMPAIGNS = "campaigns", "manage campaigns and workers, open challenges (this can spend money)"
        PEOPLE = "people", "manage the members of collections, and invite people"
        WEBHOOKS = (
            "webhooks",
            "register webhooks, which report private runs, and read each webhook's secret once",
        )

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    mark = models.CharField(max_length=16, help_text="Part of the token's text, to tell tokens apart.")
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=clock.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.mark})"
