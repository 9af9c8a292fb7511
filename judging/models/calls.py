"""Calls that change something at a crowd, block lists and payments."""

from django.db import models
from django.db.models import Q

from config import clock
from config.guidance_field import GuidanceField
from judging.models.campaign import Campaign
from judging.models.submissions import Submission


class CrowdCall(models.Model):
    """A call that changes something at a crowd. Its row is committed before the call; the reply is added afterwards.

    ``key`` is deterministic: a repeated call for the same change has the same key, and so the same request token.
    """

    class State(models.TextChoices):
        INTENDED = "intended"
        DONE = "done"
        FAILED = "failed"  # can never succeed; the row has the reason

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="crowd_calls")
    operation = models.CharField(max_length=60)
    key = models.CharField(max_length=200, unique=True)
    request = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.INTENDED)
    attempts = models.PositiveIntegerField(default=0)
    first_tried_at = models.DateTimeField(null=True)
    last_tried_at = models.DateTimeField(null=True)
    reply = models.JSONField(null=True)
    error_class = models.CharField(
        max_length=20, blank=True, help_text="later, never, money or configuration"
    )
    error_message = models.TextField(blank=True)
    next_step = GuidanceField(blank=True)
    created_at = models.DateTimeField(default=clock.now)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "state", "operation"])]

    def __str__(self) -> str:
        return f"{self.operation} {self.key}: {self.state}"


class BlockList(models.Model):
    """A crowd's qualification type for workers who may not take tasks. The crowd hides our places from them."""

    crowd = models.CharField(max_length=300, help_text="The crowd's module and endpoint.")
    name = models.CharField(max_length=100)
    crowd_key = models.CharField(max_length=64, help_text="The crowd's id of the type.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["crowd", "name"], name="one_block_list_per_name")]


class Payment(models.Model):
    """Money owed to a worker for a submission, paid once.

    ``cause`` distinguishes a submission's payments of one kind: there is at most one for each cause.
    """

    #: The cause of a bonus for pairs that are answered in the crowd's form, but that our server never saved.
    CLAIMED = "claimed"
    #: States of payments that are not yet paid, rejected or settled.
    OPEN: tuple[str, ...] = ("held", "owed")

    class Kind(models.TextChoices):
        REWARD = "reward"
        BONUS = "bonus"  # the part of a split reward that depends on pairs judged
        TOP_UP = "top_up"  # raises the hourly pay to the promised minimum
        COMPENSATION = "compensation"  # the whole pay for work that the crowd never listed

    class State(models.TextChoices):
        HELD = "held"  # waits for a person's decision (judging/money/held_pay.py)
        OWED = "owed"
        PAID = "paid"
        REJECTED = "rejected"  # with a reason; automatic only without a judged pair; can be overridden
        SETTLED = "settled"  # a person paid another way, or said why nobody can

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="payments")
    carrier = models.ForeignKey(
        Submission,
        models.PROTECT,
        null=True,
        related_name="carried_payments",
        help_text="The submission whose assignment at the crowd carries the bonus.",
    )
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.REWARD)
    cause = models.CharField(max_length=60, blank=True)
    reason = models.TextField(blank=True, help_text="The reason that the worker reads.")
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    fee = models.DecimalField(max_digits=8, decimal_places=2)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OWED)
    call = models.OneToOneField(CrowdCall, models.PROTECT, null=True, related_name="payment")
    owed_at = models.DateTimeField(default=clock.now)
    paid_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=150, blank=True)
    decided_why = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "kind", "cause"], name="one_payment_per_cause"),
            models.CheckConstraint(condition=Q(amount__gte=0, fee__gte=0), name="payment_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ${self.amount}: {self.state}"
