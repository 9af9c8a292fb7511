"""The campaign: its settings and its life cycle."""

import secrets
from decimal import Decimal

from django.db import models
from django.db.models import Q

from config import clock
from judging.rules.layout import possible_answers
from judging.rules.screening import GOLD_PAIR, SLIP_RATE, TEST_PASSAGE
from pooling.models import Collection, Pool


def new_call_key() -> str:
    """Return a random ``call_key`` for a new campaign: 16 hexadecimal digits."""
    return secrets.token_hex(8)


class Campaign(models.Model):
    """The judging of one pool or, without a pool, a container for judgments imported from elsewhere."""

    class State(models.TextChoices):
        DRAFT = "draft"
        REHEARSED = "rehearsed"  # simulated workers have judged a copy
        PILOTING = "piloting"  # a few tasks are offered, to test time, pay and gold pairs
        PILOTED = "piloted"
        OPEN = "open"
        PAUSED = "paused"
        CLOSING = "closing"  # nothing new is offered; work in progress can finish
        CLOSED = "closed"

    #: States before the launch, in which texts and gold pairs can still change.
    BEFORE_LAUNCH = (State.DRAFT, State.REHEARSED, State.PILOTED)
    #: States in which the campaign is not launched: a pilot, even a running one, is not a launch.
    UNLAUNCHED = (*BEFORE_LAUNCH, State.PILOTING)
    #: States in which places are offered to workers.
    OFFERING = (State.OPEN, State.PILOTING)
    #: States in which no further work is requested.
    OVER = (State.CLOSING, State.CLOSED)
    #: States in which nothing is offered and no work is in progress, so that the campaign can be archived.
    AT_REST = (*BEFORE_LAUNCH, State.CLOSED)

    class Screen(models.TextChoices):
        REFERENCE = "reference"
        TWO_STRIKES = "two-strikes"
        RATE = "rate"

    class Pay(models.TextChoices):
        SPLIT = "split"  # a base reward for each submission, the rest as a bonus per judged pair
        WHOLE = "whole"  # the whole pay is the reward

    name = models.SlugField(max_length=80, unique=True)
    collection = models.ForeignKey(Collection, models.PROTECT, related_name="+")
    pool = models.ForeignKey(Pool, models.PROTECT, null=True, related_name="+")
    grading = models.ForeignKey(
        "judging.GradedCampaign",
        models.PROTECT,
        null=True,
        related_name="crowd_campaigns",
        help_text="Set if workers grade single passages, for the topics of this graded campaign.",
    )
    grades = models.PositiveSmallIntegerField(
        default=0, help_text="Levels of the scale, from grade 0; 0: workers compare two passages."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    seed = models.BigIntegerField()
    pairs_per_task = models.PositiveIntegerField(default=10)
    gold_per_task = models.PositiveIntegerField(default=3)
    repeats_per_task = models.PositiveIntegerField(
        default=0,
        help_text="Number of the worker's earlier pairs shown again, to measure consistency.",
    )
    judgments_per_pair = models.PositiveIntegerField(default=1)
    max_tasks_per_worker = models.PositiveIntegerField(default=20)
    reward = models.DecimalField(max_digits=7, decimal_places=2, default=Decimal("2.00"))
    pay = models.CharField(max_length=8, choices=Pay.choices, default=Pay.SPLIT)
    base_reward = models.DecimalField(
        max_digits=7,
        decimal_places=2,
        default=Decimal("0.20"),
        help_text="Part of the reward, when pay is split.",
    )
    budget = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        null=True,
        help_text="The most dollars, fees included, that can be committed.",
    )
    minimum_hourly = models.DecimalField(
        max_digits=7, decimal_places=2, null=True, help_text="Minimum expected pay per hour, in dollars."
    )
    screen = models.CharField(max_length=12, choices=Screen.choices, default=Screen.REFERENCE)
    slip_rate = models.FloatField(
        default=SLIP_RATE, help_text="Share of gold pairs that an honest worker is assumed to fail."
    )
    refuse_excluded_elsewhere = models.BooleanField(
        default=True,
        help_text="Refuse workers whom another campaign of the collection excluded, except for a single failure.",
    )
    one_block_list = models.BooleanField(
        default=False,
        editable=False,
        help_text="Launched when one list of excluded workers served all campaigns of the installation.",
    )
    answer_days = models.PositiveIntegerField(
        default=3, help_text="Working days within which an objection is answered, as promised to workers."
    )
    allow_undecided = models.BooleanField(default=False, help_text='Offer "Cannot decide".')
    minimum_seconds = models.PositiveIntegerField(
        default=0, help_text="Seconds that a pair is on screen before it can be answered."
    )
    mark_query_words = models.BooleanField(
        default=False, help_text="Mark the words of the question in both passages."
    )
    preset = models.CharField(max_length=40, blank=True)
    qualifications = models.JSONField(
        default=list, help_text="Qualification requirements in the protocol's form."
    )
    accept_weak_screening = models.BooleanField(
        default=False, help_text="A person launched it although tasks can be passed without reading."
    )
    placeholder_text = models.BooleanField(
        default=False, help_text="Show passages without text as placeholders, to simulated workers only."
    )
    language = models.CharField(
        max_length=20,
        default="en",
        help_text="Language of workers' pages; passages keep the collection's.",
    )
    title = models.CharField(max_length=128, default="Which passage answers the question better?")
    description = models.CharField(max_length=2000, blank=True)
    contact = models.CharField(max_length=200, blank=True, help_text="A contact for workers.")
    withdrawal_days = models.PositiveIntegerField(
        default=30, help_text="Days after submitting in which a worker can withdraw judgments."
    )
    keywords = models.CharField(max_length=1000, default="compare, reading, search, relevance, judgment")
    consent_text = models.TextField(blank=True)
    instructions_text = models.TextField(blank=True)
    example_text = models.TextField(
        blank=True, help_text="The worked example (judging/rules/worked_example.py)."
    )
    content_warning = models.TextField(blank=True, help_text="Shown before a worker agrees.")
    minimum_age = models.PositiveIntegerField(
        default=0, help_text="Minimum age that workers confirm, in years; 0: no confirmation."
    )
    ethics_approval = models.CharField(
        max_length=200, blank=True, help_text="Who approved it, and the approval number."
    )
    texts_accepted_at = models.DateTimeField(null=True)
    texts_accepted_by = models.CharField(max_length=150, blank=True)
    assignment_seconds = models.PositiveIntegerField(default=3600)
    usual_seconds = models.FloatField(
        null=True,
        help_text="Usual seconds for a task, measured when tasks were last offered; empty: estimated.",
    )
    lifetime_seconds = models.PositiveIntegerField(default=7 * 86400)
    hold_hours = models.PositiveIntegerField(
        default=0,
        help_text="Hours between collecting work and paying for it, so that a person can review it.",
    )
    auto_approval_seconds = models.PositiveIntegerField(default=7 * 86400)
    crowd = models.CharField(max_length=20, default="mturk")
    call_key = models.CharField(
        max_length=16,
        unique=True,
        default=new_call_key,
        editable=False,
        help_text="Prefix of the keys of all calls to the crowd. Random, and never changed.",
    )
    endpoint = models.CharField(max_length=300, blank=True, help_text="Set at launch.")
    confirmed_spend = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    confirmed_at_launch = models.DecimalField(
        max_digits=12, decimal_places=2, null=True, help_text="The amount confirmed at launch."
    )
    rehearsal_of = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        related_name="rehearsals",
        help_text="Set on a copy for simulated workers.",
    )
    pilot_tasks = models.PositiveIntegerField(default=0, help_text="Number of tasks in the pilot.")
    pilot_counts = models.BooleanField(default=False, help_text="The pilot's judgments count.")
    created_at = models.DateTimeField(default=clock.now)
    launched_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    archived_at = models.DateTimeField(null=True, help_text="Set while the campaign is archived.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(archived_at=None) | Q(state__in=["draft", "rehearsed", "piloted", "closed"]),
                name="archived_campaign_is_at_rest",
            ),
            models.CheckConstraint(
                condition=Q(grading=None, grades=0) | Q(grading__isnull=False, grades__gte=2),
                name="grades_are_of_a_graded_campaign",
            ),
            models.CheckConstraint(condition=Q(pairs_per_task__gte=1), name="task_has_pairs"),
            models.CheckConstraint(condition=Q(judgments_per_pair__gte=1), name="pair_is_judged"),
            models.CheckConstraint(condition=Q(reward__gte=0), name="reward_not_negative"),
            models.CheckConstraint(condition=Q(base_reward__gte=0), name="base_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(slip_rate__gte=0, slip_rate__lt=1), name="slip_rate_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def slots_per_task(self) -> int:
        """The number of pairs in a full task, including gold and repeated pairs."""
        return self.pairs_per_task + self.gold_per_task + self.repeats_per_task

    @property
    def gold_words(self) -> str:
        """The term for a hidden test of workers: a gold pair, or a test passage if they grade single passages."""
        return TEST_PASSAGE if self.grades else GOLD_PAIR

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that a worker can choose: sides of a pair, or grades of a single passage as digits."""
        return possible_answers(self.grades, allow_undecided=self.allow_undecided)

    @property
    def is_launched(self) -> bool:
        return self.state not in self.UNLAUNCHED

    @property
    def wording(self) -> str:
        """The language tag that selects the texts of workers' pages; graded campaigns have texts of their own."""
        return f"{self.language}-graded" if self.grades else self.language

    @property
    def label(self) -> str:
        """The state in one word, or "imported" for a draft that only holds judgments made elsewhere."""
        return "imported" if self.pool_id is None and self.state == self.State.DRAFT else str(self.state)


CHANGED_TO: dict[str, str] = {
    Campaign.State.PILOTING: "pilot started",
    Campaign.State.PILOTED: "pilot ended",
    Campaign.State.OPEN: "opened for work",
    Campaign.State.CLOSING: "closing started",
}


class CampaignChange(models.Model):
    """An entry in a campaign's log: what was done, who did it, when and why."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="changes")
    what = models.CharField(max_length=80)
    why = models.TextField(blank=True)
    who = models.CharField(max_length=150, blank=True)
    happened_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"{self.what} at {self.happened_at}"

    @property
    def words(self) -> str:
        """A phrase that says what was done. For a change of state, ``what`` is only the name of the new state."""
        return CHANGED_TO.get(self.what, self.what)
