"""Teams that submit runs to a collection's board, and rounds for submissions."""

from django.conf import settings
from django.db import models

from config import clock
from pooling.models.collections import Collection


class Team(models.Model):
    """A team that submits runs to a collection's board. Runs belong to it by its name, which never changes."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="teams")
    name = models.CharField(max_length=200)
    affiliation = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="one_team_per_name")]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """A submitter's membership in a team. A person can be in only one team per collection."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    since = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "user"], name="one_team_per_person")]


class TeamApplication(models.Model):
    """A new team's application to submit runs, sent by somebody without an account.

    An owner decides on it.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        ACCEPTED = "accepted"
        DECLINED = "declined"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="team_applications")
    team_name = models.CharField(max_length=200)
    affiliation = models.CharField(max_length=200, blank=True)
    email = models.EmailField()
    words = models.CharField(max_length=1000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "email", "team_name"],
                condition=models.Q(state="waiting"),
                name="one_open_application_per_team_and_address",
            )
        ]


class Round(models.Model):
    """A period in which teams can submit runs. Once a board has rounds, teams can submit in open rounds only."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="rounds")
    name = models.CharField(max_length=80)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(help_text="The closing time: the first moment that is too late.")
    most_runs = models.PositiveIntegerField(help_text="Maximum number of official runs per team.")
    most_baselines = models.PositiveIntegerField(
        default=0, help_text="Maximum number of additional baseline runs per team."
    )
    priorities = models.BooleanField(default=False, help_text="Whether official runs need priorities 1, 2, …")
    checked_at = models.DateTimeField(
        null=True, help_text="Updated by every submission, so that the row lock serializes submissions."
    )
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="one_round_per_name"),
            models.CheckConstraint(
                condition=models.Q(closes_at__gt=models.F("opens_at")), name="a_round_opens_before_it_closes"
            ),
        ]

    def __str__(self) -> str:
        return self.name
