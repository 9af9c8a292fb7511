"""Messages, reports, appeals and rights requests of workers, and discrepancies with the crowd."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, OuterRef, Q

from config import clock
from judging.models.calls import CrowdCall
from judging.models.campaign import Campaign
from judging.models.submissions import Slot, Submission
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
    failure = models.TextField(blank=True, help_text="Why the crowd did not deliver the message.")


class PairReport(models.Model):
    """A worker's report of a problem with a pair. It changes nothing until a person reviews it."""

    class Kind(models.TextChoices):
        BROKEN = "broken"
        OFFENSIVE = "offensive"
        LANGUAGE = "language"
        OTHER = "other"

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="pair_reports")
    slot = models.ForeignKey(Slot, models.CASCADE, related_name="pair_reports")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    words = models.TextField(blank=True)
    reported_at = models.DateTimeField(default=clock.now)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.CharField(max_length=150, blank=True)
    settled_why = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slot", "kind"], name="one_report_of_a_kind_per_slot")]


class AppealQuerySet(models.QuerySet):
    def confirmed(self) -> AppealQuerySet:
        """Keep appeals that certainly come from the worker.

        They came through the link in the crowd's message, or from the page of an assignment that the crowd's list
        now shows as this worker's. Any other appeal names its worker only in a URL, which can be forged.
        """
        listed = Submission.objects.filter(
            campaign=OuterRef("campaign"),
            worker=OuterRef("worker"),
            assignment_id=OuterRef("came_by"),
            state=Submission.State.SUBMITTED,
        )
        return self.filter(Q(came_by="") | Exists(listed))


class Appeal(models.Model):
    """A worker's appeal against being refused tasks: one for each campaign and each ``came_by``.

    ``came_by`` says how the visitor reached the page. It is empty for the link in the crowd's message, which proves
    who the worker is. A URL with an assignment can be forged, so appeals are kept apart by assignment: nobody can use
    up or read another worker's appeal. Only confirmed appeals (:meth:`AppealQuerySet.confirmed`) are answered by a
    message.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="appeals")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="appeals")
    came_by = models.CharField(
        max_length=200,
        blank=True,
        help_text="The assignment in the address; empty: the link in the crowd's message.",
    )
    refusal = models.CharField(max_length=40, help_text="The refusal page's reason.")
    words = models.TextField()
    made_at = models.DateTimeField(default=clock.now)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.CharField(max_length=150, blank=True)
    settled_why = models.TextField(blank=True)

    objects = AppealQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "worker", "came_by"], name="one_appeal_per_way_to_it")
        ]


class RightsRequest(models.Model):
    """A record of erased or withdrawn data: what was done, when and by whom."""

    class What(models.TextChoices):
        FORGET = "forget"
        WITHDRAW = "withdraw"
        RETENTION = "retention"

    what = models.CharField(max_length=10, choices=What.choices)
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="rights_requests")
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="rights_requests")
    who = models.CharField(max_length=150, blank=True)
    why = models.TextField(blank=True)
    done = models.JSONField(default=dict, help_text="Counts of erased or withdrawn rows.")
    happened_at = models.DateTimeField(default=clock.now)


class Discrepancy(models.Model):
    """A difference between our record of a submission and the crowd's. Resolved discrepancies are kept."""

    class Kind(models.TextChoices):
        ONLY_THERE = "only_there"  # submitted at the crowd, but our page saw nothing or only a part of it
        ONLY_HERE = "only_here"  # submitted on our page, not in the crowd's list
        DIFFERENT = "different"  # the answers in the crowd's form differ from our record

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
