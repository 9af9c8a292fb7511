"""Collections and their contents: queries, passages, runs, labels."""

from __future__ import annotations

from django.db import models

from config import clock


class Collection(models.Model):
    """Queries, passages, runs and qrels that belong together."""

    class Visibility(models.TextChoices):
        PRIVATE = "private"  # visible to members only
        PUBLISHED = "published"  # visible to everybody, together with its released runs

    name = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200, blank=True, help_text="The displayed name.")
    description = models.TextField(blank=True)
    language = models.CharField(max_length=20, default="en", help_text="BCP 47 tag of queries and passages.")
    license = models.CharField(max_length=200, blank=True, help_text="The terms of use.")
    citation = models.TextField(blank=True, help_text="Where it comes from, and how to cite it.")
    visibility = models.CharField(
        max_length=10,
        choices=Visibility.choices,
        default=Visibility.PRIVATE,
        help_text="Who can see the collection.",
    )
    max_run_depth = models.PositiveIntegerField(
        default=10_000, db_default=10_000, help_text="Maximum number of passages per query in a run."
    )
    run_fields = models.JSONField(
        default=dict,
        db_default={},
        help_text="The details requested for each run, and the collection's own fields.",
    )
    board_labels = models.ForeignKey(
        "pooling.QrelSet",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The leaderboard's default labels; null: the first set.",
    )
    board_measure = models.CharField(
        max_length=60,
        blank=True,
        default="",
        db_default="",
        help_text="The leaderboard's default measure; empty: RR@10.",
    )
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name

    def default_labels(self) -> QrelSet | None:
        """Return the leaderboard's default qrel set; None if there are no sets.

        Until a set is chosen, this is the set that was added first.
        """
        return self.board_labels or self.qrel_sets.order_by("pk").first()

    def passage_labels(self) -> models.QuerySet[QrelSet]:
        """Return the qrel sets, except document labels that were derived from passage labels."""
        return self.qrel_sets.filter(mapped_from=None)


class PassageSource(models.Model):
    """A registered file of passage texts. By default, only the texts that are needed are copied to the database."""

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


class Query(models.Model):
    """A query of a collection; ``qid`` is its id in the query file."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="queries")
    qid = models.CharField(max_length=200)
    text = models.TextField()
    position = models.PositiveIntegerField(help_text="Position in the query file, from 0.")

    class Meta:
        verbose_name_plural = "queries"
        constraints = [models.UniqueConstraint(fields=["collection", "qid"], name="one_query_per_qid")]

    def __str__(self) -> str:
        return self.qid


class QuerySplit(models.Model):
    """A permanent division of a collection's queries into public and private ones."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="query_split")
    sha256 = models.CharField(max_length=64, help_text="SHA-256 of the private qids.")
    share = models.FloatField(null=True, help_text="Share of private queries, if they were drawn at random.")
    seed = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(default=clock.now)


class PrivateQuery(models.Model):
    """A query whose results only members see. All other queries of the collection are public."""

    split = models.ForeignKey(QuerySplit, models.CASCADE, related_name="private_queries")
    query = models.OneToOneField(Query, models.CASCADE, related_name="+")


class SubmissionPolicy(models.Model):
    """The limits and requirements for runs that teams submit to a collection's board."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="submission_policy")
    most_runs = models.PositiveIntegerField(help_text="Maximum number of runs per team in any period.")
    most_variants = models.PositiveIntegerField(
        default=1, help_text="How many of these may differ from another run only by hyperparameters or seed."
    )
    period_days = models.PositiveIntegerField()
    required = models.JSONField(default=list, help_text="Required details about a run.")
    longest_embargo_days = models.PositiveIntegerField(default=0)
    release_after = models.CharField(
        max_length=10,
        blank=True,
        help_text="How runs are released after the embargo; empty: not automatically.",
    )
    teams_see_scores = models.BooleanField(
        default=False, db_default=False, help_text="Whether teams see values of their unreleased runs."
    )
    public_decimals = models.PositiveSmallIntegerField(
        null=True,
        help_text="Decimals on the public board; null: all (under withheld labels, few enough to hide a query).",
    )
    per_query_values = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether values of single queries under withheld labels are shown.",
    )
    public_list = models.CharField(
        max_length=10,
        blank=True,
        help_text="What non-members see of unreleased submissions: counts, all, or nothing.",
    )
    checked_at = models.DateTimeField(
        null=True, help_text="Updated by every import, so that the row lock serializes imports."
    )
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name_plural = "submission policies"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(most_runs__gte=1, period_days__gte=1), name="a_policy_lets_runs_in"
            )
        ]


class Passage(models.Model):
    """A passage of a collection. The two passages of a pair are ordered by their primary keys."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="passages")
    pid = models.CharField(max_length=300)
    text = models.TextField(null=True, help_text="Null until it is fetched from a source.")  # noqa: DJ001
    class_key = models.CharField(
        max_length=64,
        blank=True,
        help_text="Hash of the normalized text, or of the canonical pid; equal within a class. Empty without either.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "pid"], name="one_passage_per_pid")]

    def __str__(self) -> str:
        return self.pid


#: Names of the run details that do not reveal who made the run.
IMPERSONAL = frozenset({"task", "subtask", "neural", "stage", "dense", "family"})

#: Keys of ``Run.report`` whose values are the same for many files, so that they do not identify a file.
COARSE = frozenset({"queries", "depth", "unanswered"})

#: The filter for runs that are listed for non-members.
RELEASED = models.Q(release__in=["public", "scores"])


class RunQuerySet(models.QuerySet):
    def released(self) -> RunQuerySet:
        """Return the runs that are listed for non-members."""
        return self.filter(RELEASED)


class Run(models.Model):
    """A system's ranking of passages for every query. The ranking is stored in a Parquet file and never changes."""

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
    sha256 = models.CharField(max_length=64, help_text="SHA-256 of the decompressed content.")
    parser_version = models.PositiveIntegerField()
    storage_name = models.CharField(max_length=300)
    report = models.JSONField(default=dict, help_text="Lines, queries, depth and warnings of the check.")
    team = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    paper = models.CharField(max_length=500, blank=True)
    code = models.CharField(max_length=500, blank=True)
    details = models.JSONField(
        default=dict, help_text="Structured details, as defined in pooling.rules.run_details."
    )
    submitted_on = models.DateField(null=True)
    baseline = models.BooleanField(default=False)
    release = models.CharField(max_length=10, choices=Release.choices, default=Release.PUBLIC)
    variant_of = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="variants",
        help_text="The run from which this run differs only by hyperparameters or seed.",
    )
    anonymous_until = models.DateField(null=True, help_text="The authors are hidden before this day.")
    round = models.ForeignKey(
        "pooling.Round",
        models.SET_NULL,
        null=True,
        related_name="runs",
        help_text="The round in which it was submitted.",
    )
    created_at = models.DateTimeField(default=clock.now)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "run_tag"], name="one_run_per_tag"),
            models.UniqueConstraint(
                fields=["collection", "sha256", "order", "parser_version"], name="one_run_per_content"
            ),
        ]

    #: Whether ``without_author`` removed the authors; ``created_at`` is then exact to the day only.
    author_hidden = False

    def __str__(self) -> str:
        return self.run_tag

    @property
    def run_type(self) -> str:
        """The detail ``family``, under the former name that the API and bundles still use."""
        return str(self.details.get("family", ""))

    @property
    def is_public(self) -> bool:
        """True if the whole run is released, including its passages."""
        return self.release == self.Release.PUBLIC

    @property
    def priority(self) -> int | None:
        """The run's position in its team's own order of runs, from 1; None if the team gave no priority."""
        found: int | None = self.details.get("priority")
        return found

    @property
    def is_anonymous(self) -> bool:
        """True while the run's authors are hidden from non-members."""
        return self.anonymous_until is not None and self.anonymous_until > clock.now().date()

    @property
    def shown_sha256(self) -> str:
        """The file's SHA-256; empty if ``without_author`` has hidden the authors.

        The hash would confirm a guess as to which file it is.
        """
        return "" if self.author_hidden else self.sha256

    def without_author(self) -> Run:
        """Remove from this instance what non-members cannot see while the authors are hidden, and return it.

        The time of import is cut to its day, because a team often uploads runs one after another. Never save the
        instance.
        """
        if self.is_anonymous:
            self.author_hidden = True
            self.created_at = self.created_at.replace(hour=0, minute=0, second=0, microsecond=0)
            self.team = self.description = self.paper = self.code = ""
            self.details = {name: value for name, value in self.details.items() if name in IMPERSONAL}
            if not self.is_public:
                # The numbers of lines and ties, like the hash, would confirm a guess of the file.
                self.report = {name: value for name, value in self.report.items() if name in COARSE}
        return self


class AnnouncedRun(models.Model):
    """The description of a run whose file is not uploaded yet. After the upload, the run gets this description."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="announced_runs")
    run_tag = models.CharField(max_length=200)
    said = models.JSONField(default=dict, help_text="Fields of a run, with its details.")
    run = models.OneToOneField(
        Run, models.SET_NULL, null=True, related_name="+", help_text="The run, once its file is uploaded."
    )
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "run_tag"], name="one_announcement_per_tag")
        ]


class CandidateSet(models.Model):
    """The passages that reranked runs of a collection may reorder, stored like a run's ranking."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="candidate_set")
    file_name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, help_text="SHA-256 of the decompressed content.")
    storage_name = models.CharField(max_length=300)
    queries = models.PositiveIntegerField()
    depth = models.PositiveIntegerField(help_text="The largest number of passages of a query.")
    lines = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=clock.now)


class QrelSet(models.Model):
    """A named set of a collection's relevance labels, such as the official or the graded labels."""

    class Kind(models.TextChoices):
        OFFICIAL = "official"
        GRADED = "graded"
        PREFERENCE = "preference"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="qrel_sets")
    name = models.SlugField(max_length=80)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.OFFICIAL)
    min_grade = models.IntegerField(default=1, help_text="The lowest relevant grade.")
    sha256 = models.CharField(max_length=64)
    withheld = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether only scores under it are public. Its labels, and values that reveal them, are for "
        "members.",
    )
    mapped_from = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The passage labels from which these document labels were derived.",
    )
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
    position = models.PositiveIntegerField(help_text="Position in the qrel file, from 0.")
    source_pid = models.CharField(
        max_length=300,
        default="",
        db_default="",
        blank=True,
        help_text="For a document's label: the passage behind it.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["qrel_set", "query", "passage"], name="one_grade_per_passage")
        ]
