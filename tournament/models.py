"""Models of query results, challenges and published versions."""

import json
from functools import cached_property
from typing import Any

from django.db import models
from django.db.models import Q

from config import clock
from judging.models import Campaign
from pooling.models import Collection, Passage, Query
from tournament.errors import PublishedIsFixed


class Published(models.Model):
    """A row of a published version. It is written once, and never changed or deleted."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **options: Any) -> None:
        if not self._state.adding:
            raise PublishedIsFixed("A published version never changes.", "Publish the next version instead.")
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        raise PublishedIsFixed("A published version is never deleted.", "Publish the next version instead.")


class Resolution(models.Model):
    """The parameters and counts of a campaign's latest resolve. Its next version uses the same parameters."""

    class Ties(models.TextChoices):
        RECOUNT = "recount"
        KEEP = "keep"

    class Count(models.TextChoices):
        SHARES = "shares"
        MAJORITY = "majority"

    campaign = models.OneToOneField(Campaign, models.CASCADE, related_name="+")
    ties = models.CharField(max_length=8, choices=Ties.choices, default=Ties.RECOUNT)
    count = models.CharField(max_length=8, choices=Count.choices, default=Count.SHARES)
    summary = models.JSONField(default=dict, help_text="Counts of queries by status, ties and cycles.")
    resolved_at = models.DateTimeField(default=clock.now)


class QueryResult(models.Model):
    """The current result of one query in a campaign. Every resolve replaces it."""

    class Status(models.TextChoices):
        CLOSED = "closed"
        OPEN = "open"
        SINGLETON = "singleton"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    status = models.CharField(max_length=10, choices=Status.choices)
    tied = models.BooleanField(default=False, help_text="Whether it is settled with several best answers.")
    cycle = models.BooleanField(
        default=False, help_text="Whether the tied set is a cycle of strict majorities."
    )
    best_answer_ids = models.JSONField(
        default=list, help_text="Passage keys, ascending; class representatives."
    )
    wins = models.JSONField(default=dict, help_text="Passage key → wins, such as 2, 2.5 or 0.333.")
    missing_pairs = models.JSONField(default=list, help_text="[[a, b], …]: pairs still to be judged.")
    reason = models.TextField(help_text="The reason for the result, in a sentence.")
    resolved_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "query"], name="one_result_per_query")]


#: The number of parsed manifests cached per process.
CONTENTS_KEPT = 4
_CONTENTS: dict[tuple[int, str], dict[str, Any]] = {}


class QrelVersion(Published):
    """A published, immutable, numbered version of a collection's preference qrels."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="+")
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    manifest = models.TextField(
        help_text="Canonical JSON: judgments, exclusions, parameters, rule version, parent."
    )
    manifest_sha256 = models.CharField(max_length=64)
    qrels_sha256 = models.CharField(max_length=64, help_text="SHA-256 of the exported TREC file.")
    simulated = models.BooleanField(help_text="Whether some of its judgments are by simulated workers.")
    queries_count = models.PositiveIntegerField()
    qrels_count = models.PositiveIntegerField()
    published_by = models.CharField(max_length=150, blank=True)
    published_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="one_version_number")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.collection_id}"

    @property
    def content(self) -> dict[str, Any]:
        """The parsed manifest.

        Each process caches the last few, since parsing 100,000 judgments takes longer than the rest of a page. The
        dictionary is shared, so do not modify it.
        """
        key = (self.pk, self.manifest_sha256)
        found: dict[str, Any] | None = _CONTENTS.get(key)
        if found is None:
            found = _CONTENTS[key] = json.loads(self.manifest)
            while len(_CONTENTS) > CONTENTS_KEPT:
                _CONTENTS.pop(next(iter(_CONTENTS)), None)
        return found

    @cached_property
    def judgment_keys(self) -> frozenset[int]:
        """Keys of the judgments in the manifest: the judgments of the version's own campaign."""
        return frozenset(self.content.get("judgments", []))


class VersionDoi(models.Model):
    """The DOI under which a version was deposited. It is assigned after publication, so it can change."""

    version = models.OneToOneField(QrelVersion, models.CASCADE, related_name="+")
    doi = models.CharField(max_length=200)


class VersionQuery(Published):
    """A query that a version covers."""

    version = models.ForeignKey(QrelVersion, models.CASCADE, related_name="queries")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    status = models.CharField(max_length=10, choices=QueryResult.Status.choices)
    tied = models.BooleanField(default=False)
    cycle = models.BooleanField(default=False)
    carried = models.BooleanField(
        default=False, help_text="Whether it is carried over from the parent version."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "query"], name="one_version_query")]


class PreferenceQrel(Published):
    """A best answer in a version."""

    version = models.ForeignKey(QrelVersion, models.CASCADE, related_name="qrels")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    passage = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    propagated = models.BooleanField(
        default=False, help_text="Whether it is only in the class of a best answer, not judged itself."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "query", "passage"], name="one_preference_qrel")
        ]


class Challenge(models.Model):
    """A comparison of new runs' unseen top passages with the current best answers."""

    class Rule(models.TextChoices):
        LEAD2 = "lead2"
        SINGLE = "single"

    class State(models.TextChoices):
        ASKING = "asking"
        DONE = "done"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField(help_text="From 1; the round of its pairs.")
    rule = models.CharField(max_length=8, choices=Rule.choices, default=Rule.LEAD2)
    run_tags = models.JSONField(default=list)
    state = models.CharField(max_length=8, choices=State.choices, default=State.ASKING)
    version = models.ForeignKey(
        QrelVersion,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="The latest version when the challenge was opened.",
    )
    created_at = models.DateTimeField(default=clock.now)
    done_at = models.DateTimeField(null=True)
    advanced_at = models.DateTimeField(
        null=True, help_text="Time of the last advance; updating it makes other processes wait until commit."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_challenge_number"),
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(state="asking"), name="one_challenge_at_a_time"
            ),
        ]


class ChallengedQuery(models.Model):
    """One query of a challenge: its current best answers and its challengers."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="queries")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    best_ids = models.JSONField(default=list, help_text="Passage keys of the current best answers.")
    challenger_ids = models.JSONField(default=list, help_text="Passage keys of the challengers.")
    members = models.JSONField(
        default=dict, help_text="Key of a challenger or best answer → keys of other passages of its class."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "query"], name="one_challenged_query")]
