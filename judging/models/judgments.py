"""Judgments and gold answers, and recorded decisions about which of them count."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from config import clock
from judging.models.campaign import Campaign
from judging.models.pairs_and_tasks import GoldPair, Pair
from judging.models.submissions import Slot, Submission
from judging.models.workers import Worker
from judging.rules.screening import RULES
from pooling.models import Passage

#: The condition that a judgment agrees with another judgment of the pair: both prefer the same passage, both are
#: undecided, or both give the single passage the same grade. The other judgment's passage and grade are annotated as
#: ``other`` and ``other_grade``.
SAME_ANSWER = (Q(preferred=F("other")) | Q(preferred=None, other=None)) & (
    Q(grade=None) | Q(grade=F("other_grade"))
)


class JudgmentQuerySet(models.QuerySet):
    def counted(self) -> JudgmentQuerySet:
        """Keep imported judgments and those of counted submissions, except those of currently excluded workers."""
        return self.filter(Q(submission__standing=Submission.Standing.COUNTED) | Q(submission=None)).exclude(
            models.Exists(
                Exclusion.objects.filter(
                    campaign=models.OuterRef("campaign"), worker=models.OuterRef("worker"), reversed_at=None
                )
            )
        )


class Judgment(models.Model):
    """One worker's choice for one pair. Rows are added and never edited.

    In a graded campaign, a judgment has one passage, which is both ``left`` and ``right``, and a ``grade``.
    """

    class JudgeKind(models.TextChoices):
        HUMAN = "human"
        SIMULATED = "simulated"
        IMPORTED = "imported"

    class Kind(models.TextChoices):
        PREFERENCE = "preference"
        GRADE = "grade"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="judgments")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="judgments")
    left = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    right = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    preferred = models.ForeignKey(
        Passage, models.PROTECT, null=True, related_name="+", help_text='Null: "cannot decide".'
    )
    grade = models.PositiveSmallIntegerField(null=True)
    judge_kind = models.CharField(max_length=10, choices=JudgeKind.choices)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.PREFERENCE)
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="judgments")
    submission = models.ForeignKey(Submission, models.PROTECT, null=True, related_name="judgments")
    slot = models.OneToOneField(Slot, models.PROTECT, null=True, related_name="judgment")
    phase = models.CharField(max_length=80, blank=True)
    imported_from = models.ForeignKey(
        "judging.ImportedFile", models.PROTECT, null=True, related_name="judgments"
    )
    judged_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField(default=clock.now)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(preferred=None) | Q(preferred=F("left")) | Q(preferred=F("right")),
                name="preferred_was_shown",
            ),
            models.CheckConstraint(
                condition=Q(kind="preference", grade=None) & ~Q(left=F("right"))
                | Q(kind="grade", grade__isnull=False, left=F("right"), preferred=None),
                name="judgment_of_two_passages_or_a_grade",
            ),
        ]

    def __str__(self) -> str:
        return f"judgment {self.pk} of pair {self.pair_id}"


class GoldAnswerQuerySet(models.QuerySet):
    def confirmed(self) -> GoldAnswerQuerySet:
        """Keep answers whose worker the crowd's list confirms; the worker's id in a URL could be anybody's."""
        return self.filter(submission__state=Submission.State.SUBMITTED)


class GoldAnswer(models.Model):
    """A worker's answer to a gold pair."""

    slot = models.OneToOneField(Slot, models.PROTECT, related_name="gold_answer")
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="gold_answers")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="gold_answers")
    gold_pair = models.ForeignKey(GoldPair, models.PROTECT, related_name="answers")
    preferred = models.ForeignKey(Passage, models.PROTECT, null=True, related_name="+")
    grade = models.PositiveSmallIntegerField(null=True, help_text="The grade of the passage that was shown.")
    passed = models.BooleanField()
    recorded_at = models.DateTimeField(default=clock.now)

    objects = GoldAnswerQuerySet.as_manager()

    def __str__(self) -> str:
        return f"gold pair {self.gold_pair_id}: {'passed' if self.passed else 'failed'}"


class ExclusionQuerySet(models.QuerySet):
    def standing(self) -> ExclusionQuerySet:
        """Keep exclusions that have not been reversed."""
        return self.filter(reversed_at=None)

    def misconduct(self) -> ExclusionQuerySet:
        """Keep exclusions in force, except those of workers who withdrew their own judgments."""
        return self.standing().exclude(rule=Exclusion.WITHDRAWN)

    def carried_over(self, collection: int) -> ExclusionQuerySet:
        """Keep exclusions that the collection's other campaigns also apply.

        An exclusion by a screening rule is kept only if the worker failed at least two gold pairs. Exclusions in
        other collections are left out, because these belong to other requesters.
        """
        counted = self.misconduct().filter(campaign__collection=collection)
        failures = counted.annotate(failures=models.Count("gold_answers"))
        return failures.filter(~Q(rule__in=RULES) | Q(failures__gte=2))


class Exclusion(models.Model):
    """The decision that a worker's judgments in a campaign do not count. Reversible; deletes nothing."""

    #: The ``rule`` of an exclusion because the worker withdrew their judgments.
    WITHDRAWN = "withdrawn"
    #: The ``rule`` of an exclusion for submitting work at the crowd that our page never saw.
    UNSEEN = "unseen"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="exclusions")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="exclusions")
    rule = models.CharField(max_length=40)
    reason = models.TextField()
    gold_answers = models.ManyToManyField(GoldAnswer, related_name="+")
    decided_at = models.DateTimeField(default=clock.now)
    decided_by = models.CharField(max_length=150, blank=True, help_text="Empty: the rule itself.")
    reversed_at = models.DateTimeField(null=True)
    reversed_by = models.CharField(max_length=150, blank=True)
    reversed_why = models.TextField(blank=True)

    objects = ExclusionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "worker"], condition=Q(reversed_at=None), name="one_standing_exclusion"
            )
        ]

    def __str__(self) -> str:
        return f"worker {self.worker_id} excluded: {self.rule}"


class ImportedFile(models.Model):
    """A file of judgments made elsewhere, recorded so that no file is counted twice."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="imported_files")
    name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    phase = models.CharField(max_length=80, blank=True)
    judgments_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "sha256", "phase"], name="one_import_per_content_and_phase"
            )
        ]

    def __str__(self) -> str:
        return self.name
