"""The job table, the processes that run jobs, and events."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import models
from django.db.models import F, Q

from config import clock
from config.guidance_field import GuidanceField

#: The maximum length of a job's progress message, in characters.
MOST_MESSAGE = 300


class JobQuerySet(models.QuerySet):
    def live(self) -> JobQuerySet:
        """Return the unfinished jobs."""
        return self.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])

    def leasable(self, now: datetime) -> JobQuerySet:
        """Return the jobs that a worker can take: waiting and due, or running with an expired lease."""
        return self.filter(
            Q(state=Job.State.WAITING, run_after__lte=now) | Q(state=Job.State.RUNNING, leased_until__lte=now)
        )


class Job(models.Model):
    """A piece of background work, with its kind, arguments, progress and result."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class Fault(models.TextChoices):
        REFUSED = "refused", "what was asked for"
        OUTSIDE = "outside", "something outside the software"
        SOFTWARE = "software", "the software"

    kind = models.CharField(max_length=80)
    key = models.CharField(max_length=200, help_text="Only one live job can hold a key.")
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    run_after = models.DateTimeField(default=clock.now)
    leased_by = models.CharField(max_length=120, blank=True)
    leased_until = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    put_off = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Number of times in a row that it was put off."
    )
    rung_again = models.BooleanField(
        default=False, help_text="Somebody rang while it was running: run it once more."
    )
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(default=0)
    progress_message = models.CharField(max_length=MOST_MESSAGE, blank=True)
    result = models.JSONField(null=True)
    failure = models.CharField(max_length=80, blank=True)
    fault = models.CharField(
        max_length=10,
        choices=Fault.choices,
        blank=True,
        db_default="",
        help_text="The cause of the last failure.",
    )
    failure_message = GuidanceField(blank=True)
    next_step = GuidanceField(blank=True)
    trace = models.TextField(
        blank=True, db_default="", help_text="The traceback of the last failure, for administrators."
    )
    created_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True)
    put_away_at = models.DateTimeField(null=True, help_text="When somebody hid the failure.")

    objects = JobQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["state", "run_after"])]
        constraints = [
            models.UniqueConstraint(
                fields=["key"], condition=Q(state__in=["waiting", "running"]), name="one_live_job_per_key"
            ),
            models.CheckConstraint(condition=Q(progress_done__gte=0), name="job_progress_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.key}): {self.state}"


class AtWork(models.Model):
    """A process that runs jobs, and the time of its last heartbeat."""

    name = models.CharField(max_length=120, unique=True)
    pulse_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "at work"
        indexes = [models.Index(F("pulse_at").desc(), name="latest_pulse")]


class Event(models.Model):
    """Something that happened in a collection, kept for a time after it is delivered (see events.py)."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, help_text="The same in every delivery.")
    kind = models.CharField(max_length=40)
    # No foreign key, because this app must not depend on others. Events of a deleted collection are not delivered.
    collection_id = models.BigIntegerField()
    facts = models.JSONField(default=dict, help_text="Ids, names and numbers at the time of the event.")
    happened_at = models.DateTimeField(default=clock.now)
    told_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(told_at=None), name="untold_events"),
            models.Index(fields=["told_at"], name="events_by_told"),
        ]
