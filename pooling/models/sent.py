"""Requests with uploaded files, and the outcome of each request."""

from django.conf import settings
from django.db import models

from config import clock
from pooling.models.collections import Collection, Run
from pooling.models.teams import Team


class SentFiles(models.Model):
    """Files that somebody sent for a collection, and the problems found in them."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    key = models.CharField(
        max_length=200,
        blank=True,
        help_text="A client's idempotency key: the same key means the same request.",
    )
    files = models.JSONField(
        default=list,
        help_text="Kind, name and path of each file; for a file sent in parts, the bytes received so far.",
    )
    problems = models.JSONField(default=list, help_text="The first problems, each with its file and line.")
    problem_counts = models.JSONField(default=dict, help_text="Kind → number of problems.")
    created_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class NewCollection(SentFiles):
    """A request to create a collection from uploaded files, and the outcome of the request."""

    class State(models.TextChoices):
        RECEIVING = "receiving"  # the files are sent in parts, and some parts have not arrived
        WAITING = "waiting"
        MADE = "made"
        REFUSED = "refused"

    name = models.CharField(max_length=80)
    details = models.JSONField(default=dict, help_text="Title, description, language, threshold.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    collection = models.ForeignKey(Collection, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "key"], condition=~models.Q(key=""), name="one_new_collection_per_key"
            )
        ]

    @property
    def job_key(self) -> str:
        return f"pooling.make_collection:{self.pk}"


class AddedFiles(SentFiles):
    """A request to add labels, candidates and passage files to a collection, and the outcome of the request."""

    class State(models.TextChoices):
        RECEIVING = "receiving"  # the files are sent in parts, and some parts have not arrived
        WAITING = "waiting"
        ADDED = "added"
        REFUSED = "refused"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="added_files")
    details = models.JSONField(
        default=dict, help_text="For labels: the set's name, its threshold, and how to treat unknown queries."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    outcome = models.JSONField(default=dict, help_text="Labels and texts that were added.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "user", "key"],
                condition=~models.Q(key=""),
                name="one_addition_per_key",
            )
        ]

    def __str__(self) -> str:
        return ", ".join(file["name"] for file in self.files) or "Missing texts"

    @property
    def job_key(self) -> str:
        return f"pooling.add_files:{self.pk}"


class RunUpload(models.Model):
    """An uploaded run file, and the result of its check."""

    class State(models.TextChoices):
        RECEIVING = "receiving"  # the file is sent in parts, and some parts have not arrived
        WAITING = "waiting"  # the file waits for its check
        CHECKED = "checked"  # the file passed, and only a check was requested
        IMPORTED = "imported"
        REFUSED = "refused"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    team = models.ForeignKey(
        Team,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The team for which it was sent; null if a member sent it.",
    )
    sent_as_member = models.BooleanField(
        null=True,
        help_text="Whether a member sent it, not a team; null if it was sent before this was recorded.",
    )
    key = models.CharField(
        max_length=200, help_text="The sender's idempotency key: the same key means the same upload."
    )
    file_name = models.CharField(max_length=200)
    sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="SHA-256 of the bytes as sent; empty until the last byte has arrived.",
    )
    size_bytes = models.PositiveBigIntegerField()
    received_bytes = models.PositiveBigIntegerField(default=0)
    arrived_at = models.DateTimeField(
        null=True, help_text="When its last byte arrived, which decides about rounds."
    )
    options = models.JSONField(default=dict, help_text="Tag, order and description of the run.")
    check_only = models.BooleanField(
        default=False, help_text="Whether to only check the file, without importing it."
    )
    parts = models.JSONField(default=list, help_text="Names of the stored parts, in order.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    problems = models.JSONField(
        default=list, help_text="The first problems, each with its line; 0 for the whole file."
    )
    problem_counts = models.JSONField(default=dict, help_text="Kind → number of problems.")
    report = models.JSONField(default=dict, help_text="The results of the check, if the file passed.")
    created_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "user", "key"], name="one_upload_per_key")
        ]

    @property
    def job_key(self) -> str:
        return f"pooling.check_upload:{self.pk}"
