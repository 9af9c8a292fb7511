"""What was retrieved, and what is worth judging."""

from __future__ import annotations

from django.db import models

from config import clock


class Collection(models.Model):
    """Queries, passages, runs and qrels that belong together."""

    name = models.SlugField(max_length=80, unique=True)
    description = models.TextField(blank=True)
    language = models.CharField(max_length=20, default="en", help_text="BCP 47 tag of queries and passages.")
    licence = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name


class PassageSource(models.Model):
    """A file of passage texts, read when texts are needed. Never copied into the database as a whole."""

    class Format(models.TextChoices):
        TSV = "tsv"
        JSONL = "jsonl"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="sources")
    path = models.CharField(max_length=1000)
    format = models.CharField(max_length=10, choices=Format.choices)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "sha256"], name="one_source_per_content")
        ]

    def __str__(self) -> str:
        return self.path


class Query(models.Model):
    """An information need; ``qid`` is its id in the dataset."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="queries")
    qid = models.CharField(max_length=200)
    text = models.TextField()
    position = models.PositiveIntegerField(help_text="Place in the query file, from 0.")

    class Meta:
        verbose_name_plural = "queries"
        constraints = [models.UniqueConstraint(fields=["collection", "qid"], name="one_query_per_qid")]

    def __str__(self) -> str:
        return self.qid


class Passage(models.Model):
    """A retrieved text that some pool, qrel or gold pair needs; its primary key orders pairs."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="passages")
    pid = models.CharField(max_length=300)
    text = models.TextField(null=True, help_text="Null until it was fetched from a source.")  # noqa: DJ001
    class_key = models.CharField(
        max_length=64,
        blank=True,
        help_text="Hash of the normalised text: one key, one class. Empty without text.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "pid"], name="one_passage_per_pid")]

    def __str__(self) -> str:
        return self.pid


class Run(models.Model):
    """A system's ranked lists, immutable; the ranking itself lives in a columnar file."""

    class Format(models.TextChoices):
        TREC = "trec"
        MSMARCO = "msmarco"

    class Order(models.TextChoices):
        SCORE = "score"
        RANK = "rank"

    class Release(models.TextChoices):
        PUBLIC = "public"
        SCORES = "scores"
        PRIVATE = "private"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="runs")
    run_tag = models.CharField(max_length=200)
    format = models.CharField(max_length=10, choices=Format.choices)
    order = models.CharField(max_length=10, choices=Order.choices)
    sha256 = models.CharField(max_length=64, help_text="Of the decompressed content.")
    parser_version = models.PositiveIntegerField()
    storage_name = models.CharField(max_length=300)
    report = models.JSONField(default=dict, help_text="Lines, queries, depth and warnings of the check.")
    team = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    paper = models.CharField(max_length=500, blank=True)
    code = models.CharField(max_length=500, blank=True)
    run_type = models.CharField(max_length=100, blank=True)
    submitted_on = models.DateField(null=True)
    baseline = models.BooleanField(default=False)
    release = models.CharField(max_length=10, choices=Release.choices, default=Release.PUBLIC)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "run_tag"], name="one_run_per_tag"),
            models.UniqueConstraint(
                fields=["collection", "sha256", "order", "parser_version"], name="one_run_per_content"
            ),
        ]

    def __str__(self) -> str:
        return self.run_tag


class QrelSet(models.Model):
    """A set of labels of a collection, such as the official or the graded ones."""

    class Kind(models.TextChoices):
        OFFICIAL = "official"
        GRADED = "graded"
        PREFERENCE = "preference"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="qrel_sets")
    name = models.SlugField(max_length=80)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.OFFICIAL)
    min_grade = models.IntegerField(default=1, help_text="Relevant means a grade of at least this.")
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="one_qrel_set_per_name")]

    def __str__(self) -> str:
        return self.name


class Qrel(models.Model):
    """One label: a passage's grade for a query."""

    qrel_set = models.ForeignKey(QrelSet, models.CASCADE, related_name="qrels")
    query = models.ForeignKey(Query, models.CASCADE, related_name="+")
    passage = models.ForeignKey(Passage, models.CASCADE, related_name="+")
    grade = models.IntegerField()
    position = models.PositiveIntegerField(help_text="Place in the qrel file, from 0.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["qrel_set", "query", "passage"], name="one_grade_per_passage")
        ]

    def __str__(self) -> str:
        return f"{self.query_id} {self.passage_id} {self.grade}"


class Pool(models.Model):
    """The passages worth judging: every chosen run's top passages plus the qrel, per query."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pools")
    name = models.SlugField(max_length=80, unique=True)
    qrel_set = models.ForeignKey(QrelSet, models.PROTECT, null=True, related_name="+")
    depth = models.PositiveIntegerField(default=1)
    sample = models.PositiveIntegerField(null=True, help_text="How many queries were drawn; null for all.")
    seed = models.BigIntegerField(null=True)
    min_size = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name


class PoolRun(models.Model):
    """A run that fed a pool."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="pool_runs")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "run"], name="one_pool_run")]

    def __str__(self) -> str:
        return f"{self.pool_id} {self.run_id}"


class PooledPassage(models.Model):
    """A passage in a query's pool, and who brought it."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="pooled_passages")
    query = models.ForeignKey(Query, models.CASCADE, related_name="+")
    passage = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    run_ids = models.JSONField(default=list, help_text="Primary keys of the runs that had it on top.")
    is_qrel = models.BooleanField(default=False, help_text="It is the known relevant passage of the query.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "query", "passage"], name="one_pooled_passage")
        ]

    def __str__(self) -> str:
        return f"{self.query_id} {self.passage_id}"
