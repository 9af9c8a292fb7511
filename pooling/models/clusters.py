from django.db import models

from config import clock
from pooling.models.collections import Collection


class ClusterSet(models.Model):
    """The classes of near-duplicates of a collection, and the method that found them."""

    class Method(models.TextChoices):
        MINHASH = "minhash"
        FILE = "file"

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="cluster_set")
    method = models.CharField(max_length=10, choices=Method.choices)
    parameters = models.JSONField(
        default=dict, help_text="Threshold, shingle size and software, or the imported file."
    )
    sha256 = models.CharField(max_length=64, help_text="SHA-256 of the classes.")
    texts = models.PositiveBigIntegerField(
        null=True, help_text="Number of texts compared; null for an imported file."
    )
    classes = models.PositiveBigIntegerField()
    members = models.PositiveBigIntegerField(help_text="Number of passages in classes of two or more.")
    summary = models.JSONField(
        default=dict, help_text="Number of classes by size, and the largest: canonical pid, size, some pids."
    )
    made_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now)


class ClusteredPassage(models.Model):
    """A passage in a class of near-duplicates. The class's canonical passage has a row, too.

    Most of these passages have no row in ``Passage``.
    """

    cluster_set = models.ForeignKey(ClusterSet, models.CASCADE, related_name="passages")
    pid = models.CharField(max_length=300)
    canonical = models.CharField(max_length=300, help_text="The canonical pid of the class.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster_set", "pid"], name="one_class_per_pid")]
        indexes = [models.Index(fields=["cluster_set", "canonical"], name="members_of_a_class")]
