"""Requesters' qualification types, workers' scores in them, and blocks."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from marketplace.models.accounts import Requester, Worker
from marketplace.protocol import identifiers


class QualificationTypeQuerySet(models.QuerySet["QualificationType"]):
    def known(self) -> QualificationTypeQuerySet:
        """Return the types that were not deleted."""
        return self.filter(deleted_at=None)

    def requestable(self) -> QualificationTypeQuerySet:
        """Return the types that a worker can request."""
        return self.known().filter(active=True)


class QualificationType(models.Model):
    """A requester's own qualification. System qualifications are computed and have no rows."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="qualification_types")
    type_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    active = models.BooleanField(default=True)
    auto_granted = models.BooleanField(default=False)
    auto_granted_value = models.IntegerField(null=True)
    retry_delay_seconds = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    objects = QualificationTypeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["requester", "name"],
                condition=Q(deleted_at__isnull=True),
                name="qualification_name_once",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """A worker's score in a qualification type, kept after it is revoked."""

    qualification_type = models.ForeignKey(
        QualificationType, on_delete=models.CASCADE, related_name="qualifications"
    )
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="qualifications")
    value = models.IntegerField()
    granted = models.BooleanField(default=True)
    granted_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["qualification_type", "worker"], name="qualification_once")
        ]


class QualificationRequest(models.Model):
    """A worker's request for a qualification, decided by the requester."""

    class State(models.TextChoices):
        """The states of a request. It is pending until the requester decides."""

        PENDING = "pending"
        ACCEPTED = "accepted"
        REJECTED = "rejected"

    request_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    qualification_type = models.ForeignKey(
        QualificationType, on_delete=models.CASCADE, related_name="requests"
    )
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="qualification_requests")
    submitted_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            # Prevents two requests from a double click.
            models.UniqueConstraint(
                fields=["qualification_type", "worker"],
                condition=Q(state="pending"),
                name="qualification_asked_once",
            )
        ]
        indexes: ClassVar = [models.Index(fields=["worker", "-id"], name="qualification_asked_by")]


class WorkerBlock(models.Model):
    """A requester's block of a worker, who is offered none of the requester's tasks.

    The worker never sees the reason.
    """

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="blocks")
    reason = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["requester", "worker"], name="block_once")]
