"""Workers, and apart from them the one table that links them to a crowd's ids."""

from __future__ import annotations

from django.db import models

from config import clock


class Worker(models.Model):
    """A person (or a simulated one) by our own key. Nothing here tells who it is."""

    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=clock.now)
    forgotten_at = models.DateTimeField(null=True, help_text="The link to a person was erased.")

    def __str__(self) -> str:
        return f"worker {self.pk}"


class CrowdIdentity(models.Model):
    """The only link between a worker and a crowd's worker id; deleted when the worker is forgotten."""

    worker = models.OneToOneField(Worker, models.CASCADE, related_name="identity")
    crowd = models.CharField(max_length=300, help_text="The crowd's module and endpoint.")
    crowd_worker_id = models.CharField(max_length=64)

    class Meta:
        verbose_name_plural = "crowd identities"
        constraints = [
            models.UniqueConstraint(fields=["crowd", "crowd_worker_id"], name="one_worker_per_crowd_identity")
        ]

    def __str__(self) -> str:
        return f"identity of worker {self.worker_id}"
