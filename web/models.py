"""Bundles of versions, webhooks and their messages, and requested e-mails about finished jobs."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q

from config import clock
from config.background.models import Job
from pooling.models import Collection
from tournament.models import QrelVersion


class MadeBundle(models.Model):
    """A stored bundle of a version, until an owner deletes it. Each distinct file has one row."""

    version = models.ForeignKey(QrelVersion, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    name = models.CharField(max_length=300, help_text="Name of its file in the storage.")
    size = models.PositiveBigIntegerField()
    key = models.CharField(
        max_length=64,
        help_text="Key of the inputs that it was last made from; equal inputs give the same bundle.",
    )
    summary = models.JSONField(help_text="Its contents and omissions.")
    facts = models.JSONField(
        help_text="What was released when it was made, and the workers who had withdrawn judgments."
    )
    made_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "sha256"], name="one_bundle_for_the_same_bytes")
        ]


class WebhookEndpoint(models.Model):
    """An address that receives a collection's events."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    address = models.CharField(max_length=500)
    events = models.JSONField(default=list, help_text="The kinds of event that it receives.")
    secret = models.TextField(help_text="The sealed secret that signs messages.")
    previous_secret = models.TextField(
        blank=True, help_text="The sealed previous secret, which also signs messages during a rotation."
    )
    previous_until = models.DateTimeField(null=True)
    # The webhook receives what this person can see, and nothing after that access ends. Another owner can take over.
    kept_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)
    off_at = models.DateTimeField(
        null=True, help_text="When it was switched off; it has received nothing since then."
    )
    off_why = models.CharField(
        max_length=300, blank=True, help_text="Why it was switched off; empty if a person did it."
    )
    failing_since = models.DateTimeField(
        null=True, help_text="Time of the first failed attempt since the last success."
    )
    last_success_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "address"], name="one_webhook_per_address")
        ]


class WebhookDeliveryQuerySet(models.QuerySet):
    def due(self, now: datetime) -> WebhookDeliveryQuerySet:
        """Return the messages to send now: waiting messages that are due, of webhooks that are switched on."""
        return self.filter(state=WebhookDelivery.State.WAITING, next_try_at__lte=now, endpoint__off_at=None)


class WebhookDelivery(models.Model):
    """One message of a webhook: its exact bytes, and the result of the last attempt."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given up"

    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    message_id = models.CharField(
        max_length=60, help_text="The same in every attempt, for receivers to compare."
    )
    kind = models.CharField(max_length=40)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    tries = models.PositiveIntegerField(
        default=0, help_text="Number of attempts since it was created or last sent again by a person."
    )
    next_try_at = models.DateTimeField(null=True, default=clock.now)
    last_tried_at = models.DateTimeField(null=True)
    reply_code = models.PositiveIntegerField(null=True)
    reply_text = models.TextField(blank=True, help_text="The beginning of the response.")
    problem = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed.")
    seconds = models.FloatField(null=True, help_text="Seconds that the last attempt took.")
    created_at = models.DateTimeField(default=clock.now)

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "message_id"], name="one_delivery_per_message"),
            models.CheckConstraint(
                condition=~Q(state="waiting") | Q(next_try_at__isnull=False), name="who_waits_is_tried"
            ),
        ]
        indexes = [
            models.Index(fields=["next_try_at"], condition=Q(state="waiting"), name="webhooks_to_send"),
            models.Index(fields=["endpoint", "-id"], name="webhooks_of_an_endpoint"),
        ]


class EndNotice(models.Model):
    """An e-mail that a person requested for the end of a background job. Sending it deletes the row."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    page = models.CharField(max_length=2000, help_text="The page that shows the work, as a path.")
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "user"], name="one_notice_per_job_and_person")]
