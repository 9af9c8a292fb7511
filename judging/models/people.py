"""What was said to and asked by workers, and where our records and the crowd's differ."""

from __future__ import annotations

from django.db import models

from config import clock
from judging.models.calls import CrowdCall
from judging.models.campaign import Campaign
from judging.models.work import Submission
from judging.models.workers import Worker


class WorkerMessage(models.Model):
    """A message between the researcher and a worker, kept with the campaign."""

    class Direction(models.TextChoices):
        TO_WORKER = "to_worker"
        FROM_WORKER = "from_worker"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="messages")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="messages")
    direction = models.CharField(max_length=12, choices=Direction.choices, default=Direction.TO_WORKER)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    who = models.CharField(max_length=150, blank=True)
    call = models.ForeignKey(CrowdCall, models.PROTECT, null=True, related_name="messages")
    created_at = models.DateTimeField(default=clock.now)
    sent_at = models.DateTimeField(null=True)
    failure = models.TextField(blank=True, help_text="Why the crowd did not deliver it.")

    def __str__(self) -> str:
        return f"message {self.pk} of campaign {self.campaign_id}"


class RightsRequest(models.Model):
    """A person's right that was exercised: what was erased or taken out, when, by whom."""

    class What(models.TextChoices):
        FORGET = "forget"
        WITHDRAW = "withdraw"
        RETENTION = "retention"

    what = models.CharField(max_length=10, choices=What.choices)
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="rights_requests")
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="rights_requests")
    who = models.CharField(max_length=150, blank=True)
    why = models.TextField(blank=True)
    done = models.JSONField(default=dict, help_text="Counts of what was erased or taken out.")
    happened_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"{self.what} at {self.happened_at}"


class Discrepancy(models.Model):
    """A submission on which our records and the crowd's differ. Resolved ones are kept."""

    class Kind(models.TextChoices):
        ONLY_THERE = "only_there"  # submitted at the crowd, never seen by our page
        ONLY_HERE = "only_here"  # sent off from our page, not in the crowd's list
        DIFFERENT = "different"  # the crowd's form carries other answers than our record

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="discrepancies")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    detail = models.JSONField(default=dict)
    found_at = models.DateTimeField(default=clock.now)
    resolved_at = models.DateTimeField(null=True)
    resolution = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "discrepancies"
        constraints = [
            models.UniqueConstraint(fields=["submission", "kind"], name="one_discrepancy_of_a_kind")
        ]

    def __str__(self) -> str:
        return f"submission {self.submission_id}: {self.kind}"
