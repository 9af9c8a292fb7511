"""HIT types, HITs, their assignments, and the request tokens that prevent duplicates."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.db.models import Exists, OuterRef, Q

from marketplace.models.accounts import Requester, Worker
from marketplace.protocol import identifiers


class HitType(models.Model):
    """The properties that the HITs of a group have in common. ``digest`` is a hash of them."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="hit_types")
    type_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    group_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.BigIntegerField()
    assignment_seconds = models.BigIntegerField()
    auto_approval_seconds = models.BigIntegerField()
    requirements = models.JSONField(default=list)
    # Where events are sent: destination, transport, events, active. Stored here because every event needs it.
    notification = models.JSONField(null=True)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["requester", "digest"], name="hit_type_once_per_requester")
        ]

    def __str__(self) -> str:
        return self.title


class RequiredQualification(models.Model):
    """A qualification type that a HIT type requires.

    It is copied from the HIT type's ``requirements``, so that it can be searched.
    """

    hit_type = models.ForeignKey(HitType, on_delete=models.CASCADE, related_name="required")
    type_id = models.CharField(max_length=64)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["type_id", "hit_type"], name="required_qualification_once")
        ]


class HitQuerySet(models.QuerySet["Hit"]):
    def of(self, requester: Requester) -> HitQuerySet:
        """Return the requester's HITs that were not deleted."""
        return self.filter(requester=requester).exclude(status=Hit.Status.DISPOSED)

    def open_at(self, now: datetime) -> HitQuerySet:
        """Return the HITs that can be taken at ``now``."""
        return self.filter(status=Hit.Status.ASSIGNABLE, available__gt=0, expires_at__gt=now)

    def undone_by(self, worker: Worker) -> HitQuerySet:
        """Return the HITs that this worker neither holds nor has submitted."""
        return self.filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"), worker=worker)))

    def expiry_due(self, now: datetime) -> HitQuerySet:
        """Return the expired HITs that have not been closed yet."""
        return self.filter(expiry_applied=False, expires_at__lte=now)


class Hit(models.Model):
    """A HIT. Its available, pending, submitted, approved and rejected places add up to ``max_assignments``."""

    class Status(models.TextChoices):
        """The states of a HIT, by the protocol's names."""

        ASSIGNABLE = "Assignable"
        UNASSIGNABLE = "Unassignable"
        REVIEWABLE = "Reviewable"
        REVIEWING = "Reviewing"
        DISPOSED = "Disposed"

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="hits")
    hit_type = models.ForeignKey(HitType, on_delete=models.PROTECT, related_name="hits")
    hit_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    question = models.TextField()
    external_url = models.TextField()
    frame_height = models.PositiveIntegerField(default=0)
    annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.PositiveIntegerField()
    unit_cost_cents = models.BigIntegerField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    expiry_applied = models.BooleanField(default=False)
    status = models.CharField(max_length=12, choices=Status, default=Status.ASSIGNABLE)
    available = models.PositiveIntegerField()
    pending = models.PositiveIntegerField(default=0)
    submitted = models.PositiveIntegerField(default=0)
    approved = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)

    objects = HitQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(
                    max_assignments=models.F("available")
                    + models.F("pending")
                    + models.F("submitted")
                    + models.F("approved")
                    + models.F("rejected")
                ),
                name="hit_counters_add_up",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["requester", "-id"], name="hit_of_requester"),
            models.Index(fields=["requester", "status", "-id"], name="hit_by_status"),
            # The status is a column, because SQLite cannot match a bound parameter to the condition of an index.
            models.Index(fields=["hit_type", "status", "id"], name="hit_to_take"),
            models.Index(fields=["expires_at"], name="hit_expiry_due", condition=Q(expiry_applied=False)),
        ]

    def __str__(self) -> str:
        return self.hit_id


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def held(self) -> AssignmentQuerySet:
        """Return the assignments that are taken and not yet submitted."""
        return self.filter(status=Assignment.Status.ACCEPTED)

    def handed_in(self) -> AssignmentQuerySet:
        """Return the submitted assignments, reviewed or not. A requester sees only these."""
        return self.filter(status__in=Assignment.HANDED_IN)

    def abandoned_at(self, now: datetime) -> AssignmentQuerySet:
        """Return the assignments held past their deadline."""
        return self.held().filter(deadline__lte=now)

    def auto_approvable_at(self, now: datetime) -> AssignmentQuerySet:
        """Return the submitted assignments that nobody reviewed in time."""
        return self.filter(status=Assignment.Status.SUBMITTED, auto_approval_at__lte=now)


class Assignment(models.Model):
    """One place on a HIT, created when a worker takes it.

    A returned or abandoned assignment keeps its row as ``Free``, so that its former holder can be informed. The next
    worker to take the place gets another id.
    """

    class Status(models.TextChoices):
        """The states of an assignment. Requesters never see Free or Accepted; the rest are the protocol's."""

        FREE = "Free"
        ACCEPTED = "Accepted"
        SUBMITTED = "Submitted"
        APPROVED = "Approved"
        REJECTED = "Rejected"

    HANDED_IN = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)

    assignment_id = models.CharField(max_length=64, unique=True, default=identifiers.entity_id)
    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, null=True, related_name="assignments")
    status = models.CharField(max_length=9, choices=Status, default=Status.FREE)
    accepted_at = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    auto_approval_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    rejected_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)
    feedback = models.TextField(blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            # A worker has at most one place on a HIT. Free places have no worker, and nulls never clash.
            models.UniqueConstraint(fields=["hit", "worker"], name="assignment_once_per_worker"),
            models.CheckConstraint(
                condition=Q(status="Free", worker__isnull=True)
                | (~Q(status="Free") & Q(worker__isnull=False)),
                name="assignment_free_without_worker",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["hit", "status"], name="assignment_of_hit"),
            models.Index(fields=["worker", "status", "-id"], name="assignment_of_worker"),
            models.Index(fields=["status", "deadline"], name="assignment_abandoned"),
            models.Index(fields=["status", "auto_approval_at"], name="assignment_unreviewed"),
        ]

    def __str__(self) -> str:
        return self.assignment_id


class Departure(models.Model):
    """A record that a worker returned a place or let its time run out."""

    class Kind(models.TextChoices):
        """Ways in which a worker gives up a place."""

        RETURNED = "returned"
        ABANDONED = "abandoned"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="departures")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="departures")
    kind = models.CharField(max_length=9, choices=Kind)
    accepted_at = models.DateTimeField()
    left_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["worker", "assignment"], name="departure_of_worker")]


class RequestToken(models.Model):
    """A used UniqueRequestToken. It prevents duplicates for 24 hours and is then deleted."""

    class Scope(models.TextChoices):
        """Groups of calls that share tokens."""

        CREATE_HIT = "create"
        EXTEND_HIT = "extend"
        BONUS = "bonus"

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="request_tokens")
    scope = models.CharField(max_length=6, choices=Scope)
    token = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    request_id = models.CharField(max_length=64)
    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, null=True, related_name="request_tokens")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["requester", "scope", "token"], name="request_token_once")
        ]
