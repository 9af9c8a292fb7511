"""What was retrieved, and what is worth judging."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.roles import CHOICES
from config import clock


class Collection(models.Model):
    """Queries, passages, runs and qrels that belong together."""

    class Visibility(models.TextChoices):
        PRIVATE = "private"  # its members see it; to everybody else it is not there
        PUBLISHED = "published"  # everybody sees it, and of its runs what is released

    name = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200, blank=True, help_text="What people call it.")
    description = models.TextField(blank=True)
    language = models.CharField(max_length=20, default="en", help_text="BCP 47 tag of queries and passages.")
    licence = models.CharField(max_length=200, blank=True)
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE, help_text="Who sees it."
    )
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


class QuerySplit(models.Model):
    """A collection's queries in two: the public ones, and the private ones that only its keepers see results of."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="query_split")
    sha256 = models.CharField(max_length=64, help_text="Of the private qids.")
    share = models.FloatField(null=True, help_text="Of private queries, where they were drawn.")
    seed = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"private queries of {self.collection_id}"


class PrivateQuery(models.Model):
    """A query whose results are not shown to viewers; every other query is public."""

    split = models.ForeignKey(QuerySplit, models.CASCADE, related_name="private_queries")
    query = models.OneToOneField(Query, models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return str(self.query_id)


class SubmissionPolicy(models.Model):
    """What a collection asks of those who submit runs to its board."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="submission_policy")
    most_runs = models.PositiveIntegerField(help_text="Runs of a team within any period.")
    most_variants = models.PositiveIntegerField(
        default=1, help_text="Of those, runs that differ from another only by hyperparameters or seed."
    )
    period_days = models.PositiveIntegerField()
    required = models.JSONField(default=list, help_text="What must be said about a run.")
    longest_embargo_days = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True, help_text="Written by every import: one at a time.")
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name_plural = "submission policies"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(most_runs__gte=1, period_days__gte=1), name="a_policy_lets_runs_in"
            )
        ]

    def __str__(self) -> str:
        return f"{self.most_runs} in {self.period_days} days"


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
    variant_of = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="variants",
        help_text="The run that this one differs from by hyperparameters or seed alone.",
    )
    anonymous_until = models.DateField(null=True, help_text="Who made it is not shown before this day.")
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


class Membership(models.Model):
    """What a person is in a collection. What that permits is accounts.roles' to say.

    It lives here and not in accounts, so that a deleted collection takes its memberships along: a later collection of
    the same name must not find the members of the one before.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=CHOICES)
    since = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "user"], name="one_role_per_person")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.role} of {self.collection_id}"


class InvitedMember(models.Model):
    """The role that an invitation brings along."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="invited_members")
    invitation = models.OneToOneField("accounts.Invitation", models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=CHOICES)
    granted = models.BooleanField(
        default=False, help_text="It was made a membership; being removed later is not undone by the link."
    )

    def __str__(self) -> str:
        return f"{self.role} of {self.collection_id}"


class CollectionChange(models.Model):
    """A decision about a collection: who, when, what."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="changes")
    what = models.CharField(max_length=300)
    who = models.CharField(max_length=150, blank=True)
    happened_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"{self.what} at {self.happened_at}"


class NewCollection(models.Model):
    """A collection that somebody asked for with files they sent, and what became of it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        MADE = "made"
        REFUSED = "refused"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=80)
    details = models.JSONField(default=dict, help_text="Title, description, language, threshold.")
    files = models.JSONField(default=list, help_text="Each with what it is, its name, and where it lies.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    collection = models.ForeignKey(Collection, models.SET_NULL, null=True, related_name="+")
    problems = models.JSONField(default=list, help_text="The first ones, each with its file and line.")
    problem_counts = models.JSONField(default=dict, help_text="Kind → how many there are.")
    created_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class RunUpload(models.Model):
    """A run file that somebody sent, and what the check made of it."""

    class State(models.TextChoices):
        RECEIVING = "receiving"  # it comes in parts, and some are missing
        WAITING = "waiting"  # for its check
        CHECKED = "checked"  # it passed; nothing more was asked for
        IMPORTED = "imported"
        REFUSED = "refused"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    key = models.CharField(max_length=200, help_text="The sender's: the same key is the same upload.")
    file_name = models.CharField(max_length=200)
    sha256 = models.CharField(
        max_length=64, blank=True, help_text="Of the bytes as they were sent; empty until all are there."
    )
    size_bytes = models.PositiveBigIntegerField()
    received_bytes = models.PositiveBigIntegerField(default=0)
    options = models.JSONField(default=dict, help_text="Tag, order and what is said about the run.")
    check_only = models.BooleanField(
        default=False, help_text="Say what is wrong with it, and change nothing."
    )
    parts = models.JSONField(default=list, help_text="What it is stored as, in order.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    problems = models.JSONField(
        default=list, help_text="The first ones, each with its line, 0 for the file as a whole."
    )
    problem_counts = models.JSONField(default=dict, help_text="Kind → how many there are.")
    report = models.JSONField(default=dict, help_text="What the check of a file that passed found.")
    created_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "user", "key"], name="one_upload_per_key")
        ]

    def __str__(self) -> str:
        return self.file_name
