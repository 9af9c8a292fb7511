"""Qualification types a requester made, the scores workers have in them, and blocks."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from marketplace import identifiers
from marketplace.models.accounts import Requester, Worker


class QualificationType(models.Model):
    """A requester's own qualification. System qualifications are computed, never rows."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="qualification_types")
    type_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["requester", "name"], name="qualification_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """A worker's score in a qualification type; kept when revoked."""

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


class WorkerBlock(models.Model):
    """A requester offers nothing to this worker any more. The reason is not shown to the worker."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="blocks")
    reason = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["requester", "worker"], name="block_once")]
