"""Per-query values of runs under labels, stored as arrays, and cached analyses."""

from django.db import models
from django.db.models.functions import Now

from config import clock
from pooling.models import Collection, Run


class Evaluation(models.Model):
    """A run's per-query values of one measure under one set of labels. Computed again whenever an input changes."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    labels = models.CharField(max_length=100, help_text='A qrel set\'s name, "@n" or "@n:order".')
    labels_sha256 = models.CharField(max_length=64)
    measure = models.CharField(max_length=60)
    values = models.BinaryField(
        help_text="float64, little-endian, one for each covered query in query order."
    )
    mean = models.FloatField(null=True, help_text="Null if undefined, as for ESL without an answered query.")
    queries_count = models.PositiveIntegerField()
    answered_count = models.PositiveIntegerField()
    missing_count = models.PositiveIntegerField()
    software_version = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=clock.now)
    used_at = models.DateTimeField(
        default=clock.now, db_default=Now(), help_text="Time of last use, to the hour."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "labels", "labels_sha256", "measure", "software_version"],
                name="one_evaluation",
            )
        ]


class KeptAnalysis(models.Model):
    """The stored result of a long analysis, or one of its figures. ``key`` hashes everything that it depends on."""

    key = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=40)
    content = models.JSONField()
    group = models.CharField(
        max_length=64,
        db_default="",
        help_text="The key of the analysis that a figure belongs to, or its own.",
    )
    choices = models.CharField(
        max_length=64,
        blank=True,
        db_default="",
        db_index=True,
        help_text="A hash of the page's choices alone, used to find an older result.",
    )
    size = models.PositiveBigIntegerField(db_default=0, help_text="Size of the content as JSON, in bytes.")
    software_version = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=clock.now)
    used_at = models.DateTimeField(
        default=clock.now, db_default=Now(), help_text="Time last shown, to the hour."
    )

    class Meta:
        verbose_name_plural = "kept analyses"
