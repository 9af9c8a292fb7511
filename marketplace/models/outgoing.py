"""Outgoing messages: e-mails, and events for requesters' queues."""

from typing import ClassVar

from django.db import models
from django.db.models import Q


class Outgoing(models.Model):
    """One message. It is stored in the same transaction as its cause and sent afterwards, so that a slow mail server
    never delays a call. Once it is sent or abandoned, ``due_at`` is empty. The text is removed once it is sent.
    """

    class Transport(models.TextChoices):
        """Ways to send a message."""

        MAIL = "mail"
        QUEUE = "queue"

    transport = models.CharField(max_length=5, choices=Transport)
    destination = models.CharField(max_length=1000)
    subject = models.CharField(max_length=200, blank=True)
    body = models.TextField()
    made_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["due_at"], name="outgoing_due", condition=Q(due_at__isnull=False))
        ]
