"""Graded judging: campaigns in which assessors or a crowd give each passage of a topic a grade."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config import clock
from judging.rules.grade_scale import Level
from judging.rules.topic_life import LifeRules, rules_with
from pooling.models import Collection, Passage, Pool, QrelSet, Query


class GradedCampaign(models.Model):
    """The graded judging of a pool by named assessors, or by the workers of a crowd campaign."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    name = models.SlugField(max_length=80)
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    scale = models.JSONField(help_text="Levels from grade 0: name, definition, example.")
    min_grade = models.PositiveIntegerField(help_text="Relevant means a grade of at least this.")
    rules = models.JSONField(
        default=dict, help_text="Parameters of the rules for ending a topic, if not the paper's."
    )
    budget = models.PositiveIntegerField(null=True, help_text="The most passages that are judged.")
    learn_from_all = models.BooleanField(
        default=False,
        help_text="Active learning also uses the grades of the collection's other graded campaigns.",
    )
    instructions = models.TextField(blank=True)
    seed = models.BigIntegerField(default=1)
    placeholder_text = models.BooleanField(
        default=False, help_text="Passages without text are shown as placeholders: a rehearsal."
    )
    created_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now)
    ended_at = models.DateTimeField(null=True, help_text="Since then nothing more is judged.")
    ended_why = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="one_graded_campaign_per_name"),
            models.CheckConstraint(condition=Q(min_grade__gte=1), name="grade_0_is_not_relevant"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def levels(self) -> list[Level]:
        """The levels of the scale, from grade 0."""
        return [Level(*one) for one in self.scale]

    @property
    def life(self) -> LifeRules:
        return rules_with(self.rules)


class Topic(models.Model):
    """A query of a graded campaign, and its pool in the order of judging."""

    campaign = models.ForeignKey(GradedCampaign, models.CASCADE, related_name="topics")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    order = models.JSONField(help_text="The pool: key of the passage, and its smallest rank in any run.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "query"], name="one_topic_per_query")]

    def __str__(self) -> str:
        return f"topic {self.query_id} of {self.campaign_id}"


class TopicDecision(models.Model):
    """The decision that ended a topic, by the rules or by a person. Reversible; deletes nothing."""

    class Verdict(models.TextChoices):
        ELIMINATED = "eliminated"  # by staff, while nobody has the topic
        DISCARDED = "discarded"
        ACCEPTED = "accepted"
        REJECTED = "rejected"

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="decisions")
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    reason = models.TextField()
    judged = models.PositiveIntegerField()
    relevant = models.PositiveIntegerField()
    at_end = models.BooleanField(default=False, help_text="The end of the campaign decided it.")
    decided_by = models.CharField(max_length=150, blank=True, help_text="Empty: the rule itself.")
    decided_at = models.DateTimeField(default=clock.now)
    reversed_at = models.DateTimeField(null=True)
    reversed_by = models.CharField(max_length=150, blank=True)
    reversed_why = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["topic"], condition=Q(reversed_at=None), name="one_standing_decision_per_topic"
            )
        ]

    def __str__(self) -> str:
        return f"topic {self.topic_id} {self.verdict}"


class TopicAssignment(models.Model):
    """The assignment of a topic to an assessor or a crowd. It ends if the topic is declined or taken away.

    The assignment of a second opinion covers only a sample of the passages already judged.
    """

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="assignments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    crowd = models.ForeignKey(
        "judging.Campaign",
        models.CASCADE,
        null=True,
        related_name="topic_assignments",
        help_text="The campaign whose workers judge the topic together, in place of one assessor.",
    )
    second = models.BooleanField(default=False, help_text="A second opinion: it decides nothing.")
    taken_at = models.DateTimeField(default=clock.now)
    over_at = models.DateTimeField(null=True, help_text="Declined, or taken away by staff.")
    over_by = models.CharField(max_length=150, blank=True)
    over_why = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["topic"], condition=Q(over_at=None, second=False), name="one_assessor_per_topic"
            ),
            models.UniqueConstraint(
                fields=["topic"], condition=Q(over_at=None, second=True), name="one_second_opinion_per_topic"
            ),
        ]

    def __str__(self) -> str:
        return f"topic {self.topic_id} of {self.assessor_id}"

    @property
    def who(self) -> str:
        """The assessor's name or, for a crowd, the phrase "workers of" with the name of its campaign."""
        if self.crowd is not None:
            return f"workers of {self.crowd.name}"
        return self.assessor.get_username() if self.assessor else "a deleted account"

    @property
    def ending(self) -> str:
        """A phrase that says how the assignment ended, and why."""
        about = "second opinion " if self.second else ""
        if self.assessor and self.over_by == self.assessor.get_username():
            return f"{about}declined by {self.who}: {self.over_why}"
        by = f" by {self.over_by}" if self.over_by else ""
        return f"{about}taken from {self.who}{by}: {self.over_why}"


class GradedItem(models.Model):
    """A passage to grade in an assignment, with its position, its source and its current grade."""

    class Source(models.TextChoices):
        POOL = "pool"
        CAL = "cal"  # continuous active learning
        SAMPLE = "sample"  # part of a second opinion

    assignment = models.ForeignKey(TopicAssignment, models.CASCADE, related_name="items")
    passage = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(help_text="From 0, in the order of judging.")
    batch = models.PositiveIntegerField(help_text="0: the opening; 1: the rest of the pool; then iterations.")
    source = models.CharField(max_length=6, choices=Source.choices)
    rank = models.PositiveIntegerField(null=True, help_text="Smallest rank of a pooled passage in any run.")
    grade = models.PositiveIntegerField(null=True, help_text="The current grade; empty if there is none.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "passage"], name="one_item_per_passage"),
            models.UniqueConstraint(fields=["assignment", "position"], name="one_item_per_position"),
        ]

    def __str__(self) -> str:
        return f"passage {self.passage_id} of assignment {self.assignment_id}"


class Grade(models.Model):
    """A grade that was given to a passage, or taken back. Rows are added and never edited; the latest one counts."""

    item = models.ForeignKey(GradedItem, models.CASCADE, related_name="grades")
    grade = models.PositiveIntegerField(null=True, help_text="Null: the one before was taken back.")
    given_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"grade {self.grade} of item {self.item_id}"


class GradedLabels(models.Model):
    """A qrel set published from a graded campaign, with the decision on each topic in it."""

    campaign = models.ForeignKey(GradedCampaign, models.CASCADE, related_name="labels")
    qrel_set = models.OneToOneField(QrelSet, models.CASCADE, related_name="+")
    topics = models.JSONField(help_text="Of each topic: qid, decision, assignment, judged and relevant.")
    made_by = models.CharField(max_length=150, blank=True)
    made_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"labels {self.qrel_set_id} of {self.campaign_id}"
