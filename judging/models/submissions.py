"""A worker's work on a task: the submission, the pairs shown, and every choice."""

from django.db import models
from django.db.models import Q

from config import clock
from judging.models.campaign import Campaign
from judging.models.pairs_and_tasks import GoldPair, Pair, Place, Task
from judging.models.workers import Worker
from pooling.models import Passage, Query

#: The prefix of a forgotten submission's assignment id; the rest is our own key.
FORGOTTEN = "forgotten-"


class Submission(models.Model):
    """A worker's work on one assignment. If the assignment passes to another worker, a new submission begins."""

    class State(models.TextChoices):
        HELD = "held"  # the worker has the page
        FINISHED = "finished"  # submitted on our page; the crowd has not confirmed it yet
        SUBMITTED = "submitted"  # confirmed by the crowd's list
        RETURNED = "returned"  # returned, or passed to another worker
        LAPSED = "lapsed"  # the time ran out

    #: States of work in progress, and of work that waits for the crowd's confirmation.
    LIVE = (State.HELD, State.FINISHED)

    class Standing(models.TextChoices):
        PENDING = "pending"  # not submitted, or not screened yet
        COUNTED = "counted"
        EXCLUDED = "excluded"  # its worker is excluded, or failed one of its gold pairs
        SURPLUS = "surplus"  # good, but another submission of the task counts
        UNFINISHED = "unfinished"  # left before all gold pairs were reached: paid, not counted
        UNKNOWN = "unknown"  # the crowd has it, but we have no record of pairs shown: nothing to count
        PILOT = "pilot"  # done in a pilot whose judgments do not count
        TRIAL = "trial"  # a reviewer's look at the task

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="submissions")
    place = models.ForeignKey(Place, models.PROTECT, null=True, related_name="submissions")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="submissions")
    task = models.ForeignKey(
        Task,
        models.PROTECT,
        null=True,
        related_name="submissions",
        help_text="Null only if our page never saw the work.",
    )
    assignment_id = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.HELD)
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.PENDING)
    seed = models.BigIntegerField(help_text="Seed of the order of pairs and of their sides.")
    opened_at = models.DateTimeField(default=clock.now)
    taken_at = models.DateTimeField(
        null=True,
        help_text="When the worker took the assignment, as signed by the crowd; empty if the crowd does not sign.",
    )
    ends_at = models.DateTimeField(null=True, help_text="Our deadline for the worker; empty: none.")
    crowd_ends_at = models.DateTimeField(null=True, help_text="The crowd's deadline for the task.")
    extended_at = models.DateTimeField(null=True, help_text="When the worker asked for more time.")
    finished_at = models.DateTimeField(null=True)
    timed_out_at = models.DateTimeField(
        null=True, help_text="When the judged pairs were submitted because the time was over."
    )
    resumed_pairs = models.PositiveIntegerField(
        default=0, help_text="Number of pairs that the worker had judged earlier in the same task."
    )
    submitted_at = models.DateTimeField(null=True, help_text="Time of submission, according to the crowd.")
    collected_at = models.DateTimeField(null=True)
    auto_approval_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    left_early = models.BooleanField(default=False, help_text="Submitted before every pair was judged.")
    comment = models.TextField(blank=True)
    comment_pasted = models.BooleanField(default=False, help_text="Text was pasted into the comment.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment_id", "worker"], name="one_submission_per_assignment_worker"
            )
        ]
        indexes = [models.Index(fields=["campaign", "state", "standing"])]

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.state}, {self.standing}"


class Consent(models.Model):
    """A worker's consent: the text they agreed to and when."""

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="consent")
    text_sha256 = models.CharField(
        max_length=64, help_text="SHA-256 of the text as shown; ConsentText has the text."
    )
    age_confirmed = models.PositiveIntegerField(default=0, help_text="Confirmed age in years; 0: not asked.")
    given_at = models.DateTimeField(default=clock.now)


class ConsentText(models.Model):
    """The exact text that at least one worker of the campaign agreed to."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="consent_texts")
    sha256 = models.CharField(max_length=64)
    text = models.TextField()
    first_shown_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "sha256"], name="one_consent_text")]


class Slot(models.Model):
    """One item on a worker's page, with its left and right passages: a pair, a gold pair or a repeated pair.

    The browser knows a slot only by its ``number``. In a graded campaign, the one passage shown is both ``left`` and
    ``right``.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="slots")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(help_text="From 1, in the order shown.")
    pair = models.ForeignKey(Pair, models.PROTECT, null=True, related_name="slots")
    gold_pair = models.ForeignKey(GoldPair, models.PROTECT, null=True, related_name="slots")
    repeats = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        related_name="repeated_by",
        help_text="The worker's earlier slot whose pair is shown again, with its sides swapped.",
    )
    left = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    right = models.ForeignKey(Passage, models.PROTECT, related_name="+")
    given_back = models.BooleanField(
        default=False,
        help_text="The submission ended without a choice or was continued, so the worker can see the pair again.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "number"], name="one_slot_number"),
            models.UniqueConstraint(
                fields=["worker", "pair"],
                condition=Q(pair__isnull=False, given_back=False),
                name="no_worker_sees_a_pair_twice",
            ),
            models.UniqueConstraint(
                fields=["worker", "gold_pair"],
                condition=Q(gold_pair__isnull=False, given_back=False),
                name="no_worker_sees_gold_twice",
            ),
            models.UniqueConstraint(
                fields=["repeats"],
                condition=Q(repeats__isnull=False, given_back=False),
                name="no_slot_is_repeated_twice",
            ),
            models.CheckConstraint(
                condition=Q(pair__isnull=True, gold_pair__isnull=False, repeats__isnull=True)
                | Q(pair__isnull=False, gold_pair__isnull=True, repeats__isnull=True)
                | Q(pair__isnull=True, gold_pair__isnull=True, repeats__isnull=False),
                name="slot_shows_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"slot {self.number} of submission {self.submission_id}"

    @property
    def query(self) -> Query:
        """The query of the pair shown, whether it is an ordinary, gold or repeated pair."""
        shown = self.pair or self.gold_pair or (self.repeats and self.repeats.pair)
        assert shown is not None
        return shown.query


class Choice(models.Model):
    """One click or key press. Choices are only appended, so that changes are kept; the latest is the answer."""

    #: The ordering by the time when choices were made. After a lost connection, an older choice can arrive later.
    AS_MADE = ("chosen_at", "sequence")

    class Side(models.TextChoices):
        LEFT = "left"
        RIGHT = "right"
        UNDECIDED = "undecided"

    class InputMethod(models.TextChoices):
        MOUSE = "mouse"
        TOUCH = "touch"
        KEYBOARD = "keyboard"
        FORM = "form"  # without scripts: sent with the whole form

    class Viewport(models.TextChoices):
        NARROW = "narrow"  # one passage under the other
        WIDE = "wide"

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="choices")
    sequence = models.PositiveIntegerField(
        help_text="Counted by the page, so that a repeated save is one choice."
    )
    side = models.CharField(max_length=10, help_text="A side; in a graded campaign, a grade as a digit.")
    seconds_shown = models.FloatField(
        null=True,
        help_text="Seconds that the pair was on screen before the choice, or since the previous choice.",
    )
    seconds_hidden = models.FloatField(
        null=True,
        help_text="Further seconds in that time, with the page in the background or the machine asleep.",
    )
    focus_lost = models.PositiveIntegerField(
        default=0, help_text="Number of times that the window lost the focus in that time."
    )
    input_method = models.CharField(max_length=8, choices=InputMethod.choices, blank=True)
    viewport = models.CharField(max_length=6, choices=Viewport.choices, blank=True)
    chosen_at = models.DateTimeField(
        default=clock.now, help_text="When the choice was made, not when it arrived."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slot", "sequence"], name="one_choice_per_sequence")]
