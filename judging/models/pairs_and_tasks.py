"""Pairs, gold pairs and tasks, and the postings and places that offer them."""

from django.db import models
from django.db.models import F, Q

from config import clock
from judging.models.campaign import Campaign
from pooling.models import Passage, Query


class Pair(models.Model):
    """Two passages of one query to compare, ordered by their keys. Each represents its class of near-duplicates.

    In a graded campaign, workers see one passage at a time, and both columns hold that passage.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pairs")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    passage_a = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    passage_b = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    round = models.PositiveIntegerField(
        default=0,
        help_text="0: the first round robin; n: the n-th challenge. In a graded campaign, the passage's batch.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "query", "passage_a", "passage_b"], name="one_pair"),
            models.CheckConstraint(condition=Q(passage_a__lte=F("passage_b")), name="pair_is_ordered"),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.passage_a_id} {self.passage_b_id}"


class GoldPair(models.Model):
    """A pair with a known answer: a relevant passage and one that does not answer the question.

    In a graded campaign, a worker sees only one of the two passages. The relevant passage must get a grade that
    counts as relevant, and the off-topic passage a lower one.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed"
        ACCEPTED = "accepted"
        DROPPED = "dropped"
        SUSPENDED = "suspended"

    class Kind(models.TextChoices):
        UNKNOWN = ""  # from a requester's file without a kind
        EASY = "easy"
        HARD = "hard"  # the off-topic passage shares the question's words

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="gold_pairs")
    query = models.ForeignKey(Query, models.PROTECT, related_name="+")
    relevant = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    off_topic = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROPOSED)
    kind = models.CharField(max_length=8, choices=Kind.choices, blank=True, default=Kind.UNKNOWN)
    why = models.TextField(blank=True, help_text="Why the pair is hard or easy.")
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=150, blank=True)
    decided_why = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "query", "relevant", "off_topic"], name="one_gold_pair"
            ),
            models.CheckConstraint(condition=~Q(relevant=F("off_topic")), name="gold_pair_of_two_passages"),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.relevant_id} over {self.off_topic_id}"


class TaskQuerySet(models.QuerySet):
    def free(self) -> int:
        """Offer these tasks again, including those that workers hold or have done. Returns the number of tasks."""
        return self.update(state=Task.State.WAITING, holder=None, leased_until=None)


class Task(models.Model):
    """Up to ``pairs_per_task`` pairs for one worker, who judges each of them once.

    Conditional updates change the state: ``waiting`` → ``held`` by one submission → ``done``. The task is ``waiting``
    again if that submission is returned, lapses or stops counting.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        HELD = "held"
        DONE = "done"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="tasks")
    number = models.PositiveIntegerField(help_text="From 1, in the order in which tasks are handed out.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    holder = models.OneToOneField(
        "judging.Submission",
        models.SET_NULL,
        null=True,
        related_name="held_task",
        help_text="The submission that holds or did the task.",
    )
    leased_until = models.DateTimeField(null=True)
    round = models.PositiveIntegerField(default=0)

    objects = TaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_task_number"),
            models.CheckConstraint(
                condition=Q(state="waiting", holder=None) | (~Q(state="waiting") & Q(holder__isnull=False)),
                name="task_held_by_somebody_or_waiting",
            ),
        ]
        indexes = [models.Index(fields=["campaign", "state", "number"])]

    def __str__(self) -> str:
        return f"task {self.number}: {self.state}"


class TaskPair(models.Model):
    """The assignment of a pair to a task. A pair is in one task for each judgment requested of it."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="task_pairs")
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="task_pairs")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "pair"], name="one_task_pair")]


class Posting(models.Model):
    """A group of places of one kind (a HIT type), offered to a crowd together."""

    class Purpose(models.TextChoices):
        MAIN = "main"
        PILOT = "pilot"
        TRIAL = "trial"  # a timed task for reviewers, outside any crowd; never counts

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="postings")
    number = models.PositiveIntegerField()
    purpose = models.CharField(max_length=8, choices=Purpose.choices, default=Purpose.MAIN)
    crowd_key = models.CharField(max_length=64, blank=True, help_text="The crowd's id of the kind of place.")
    crowd_seconds = models.PositiveIntegerField(
        null=True,
        help_text="The crowd's time limit for a task; empty: the campaign's limit, without an extension.",
    )
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_posting_number")]

    def __str__(self) -> str:
        return f"posting {self.number} of {self.campaign_id}"


class Place(models.Model):
    """One anonymous slot on a posting (a HIT). The worker who takes it gets the next task."""

    class State(models.TextChoices):
        WANTED = "wanted"  # intent recorded, not offered yet
        OPEN = "open"  # offered; a worker might have accepted it
        FILLED = "filled"  # a submission came in
        GONE = "gone"  # expired or taken down without a submission

    #: States in which a worker can take the place, now or once it is offered.
    LIVE = (State.WANTED, State.OPEN)

    posting = models.ForeignKey(Posting, models.CASCADE, related_name="places")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WANTED)
    crowd_id = models.CharField(max_length=64, blank=True, db_index=True)
    wanted_at = models.DateTimeField(default=clock.now)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["posting", "number"], name="one_place_number")]
        indexes = [models.Index(fields=["posting", "state"])]

    def __str__(self) -> str:
        return f"place {self.number}: {self.state}"
