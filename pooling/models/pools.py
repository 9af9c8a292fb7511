from django.db import models

from config import clock
from pooling.models.collections import Collection, Passage, QrelSet, Query, Run


class Pool(models.Model):
    """The passages to judge for each query: the top passages of the chosen runs, and the query's qrel."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pools")
    name = models.SlugField(max_length=80, unique=True)
    qrel_set = models.ForeignKey(QrelSet, models.PROTECT, null=True, related_name="+")
    depth = models.PositiveIntegerField(default=1)
    sample = models.PositiveIntegerField(
        null=True, help_text="Number of queries in the sample; null for all."
    )
    seed = models.BigIntegerField(null=True)
    min_size = models.PositiveIntegerField(default=1)
    fraction = models.PositiveIntegerField(
        null=True, help_text="N if only one in N passages of the corpus could be pooled; null for all."
    )
    fraction_seed = models.BigIntegerField(null=True)
    priority = models.PositiveIntegerField(
        null=True, help_text="N if runs with priority 1 to N were chosen; null if priorities did not matter."
    )
    round = models.CharField(
        max_length=80,
        blank=True,
        db_default="",
        default="",
        help_text="Name of the round whose runs were chosen; empty for any.",
    )
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name


class PoolRun(models.Model):
    """A run whose top passages are in a pool."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="pool_runs")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    priority = models.PositiveBigIntegerField(null=True, help_text="Its priority when the pool was built.")
    named = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether it was named, in addition to the runs of a priority or round.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "run"], name="one_pool_run")]


class PooledPassage(models.Model):
    """A passage in a query's pool, and the runs that supplied it."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="pooled_passages")
    query = models.ForeignKey(Query, models.CASCADE, related_name="+")
    passage = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    run_ids = models.JSONField(default=list, help_text="Primary keys of the runs that had it on top.")
    is_qrel = models.BooleanField(
        default=False, help_text="Whether it is the known relevant passage of the query."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "query", "passage"], name="one_pooled_passage")
        ]
