"""Workers, and the separate table that links them to their crowd ids."""

from django.db import models

from config import clock


class Worker(models.Model):
    """A worker, real or simulated, under our own key. This table has nothing that reveals who a person is."""

    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=clock.now)
    forgotten_at = models.DateTimeField(null=True, help_text="When the link to a person was erased.")

    def __str__(self) -> str:
        return f"worker {self.pk}"


class WorkerInCampaign(models.Model):
    """The flags that a worker's record raised in one campaign, and a reviewer's permission to take tasks again."""

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="noticed_workers")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="noticed_in")
    flags = models.JSONField(default=list, help_text="Names of the flags raised as work came in.")
    flagged_at = models.DateTimeField(null=True, help_text="When a new flag was last raised.")
    allowed_again_at = models.DateTimeField(
        null=True, help_text="Unfinished tasks before this time do not count, by a person's decision."
    )
    allowed_again_by = models.CharField(max_length=150, blank=True)
    allowed_again_why = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "worker"], name="one_note_per_worker")]


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
