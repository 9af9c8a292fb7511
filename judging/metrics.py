"""How the campaigns stand, for those who watch over an installation. No worker is named."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Q

from config.metrics import State, state_reader
from judging.models import Campaign, CrowdCall, Exclusion, Place, Submission, Task
from judging.services.payments import money


@state_reader
def work() -> Iterator[State]:
    """Tasks, places, submissions and exclusions of every launched campaign."""
    launched = Q(launched_at__isnull=False)
    campaigns = Campaign.objects.filter(launched)
    yield State(
        "preferee_campaigns",
        "Campaigns, by state.",
        ("state",),
        _counted(Campaign.objects.values_list("state")),
    )
    tasks = Task.objects.filter(campaign__in=campaigns).values_list("campaign__name", "state")
    yield State("preferee_tasks", "Tasks, by state.", ("campaign", "state"), _counted(tasks))
    places = Place.objects.filter(posting__campaign__in=campaigns)
    yield State(
        "preferee_places",
        "Places, by state: wanted (not offered yet), open, filled, gone.",
        ("campaign", "state"),
        _counted(places.values_list("posting__campaign__name", "state")),
    )
    submissions = Submission.objects.filter(campaign__in=campaigns)
    yield State(
        "preferee_submissions",
        "Submissions, by state and standing; those collected are in the state submitted.",
        ("campaign", "state", "standing"),
        _counted(submissions.values_list("campaign__name", "state", "standing")),
    )
    exclusions = Exclusion.objects.filter(campaign__in=campaigns)
    yield State(
        "preferee_exclusions",
        "Workers excluded, as it stands now.",
        ("campaign", "rule"),
        _counted(exclusions.filter(reversed_at=None).values_list("campaign__name", "rule")),
    )


@state_reader
def calls() -> Iterator[State]:
    """Calls with an effect: what was intended, what is done, what has failed."""
    rows = CrowdCall.objects.values_list("operation", "state", "error_class")
    yield State(
        "preferee_crowd_intents",
        "Calls with an effect on a crowd, by state (intended: not done yet) and class of the last error.",
        ("operation", "state", "error"),
        _counted(rows),
    )


@state_reader
def dollars() -> Iterator[State]:
    """Money of every launched campaign, fees included."""
    values: dict[tuple[str, ...], float] = {
        (campaign.name, what): float(amount)
        for campaign in Campaign.objects.filter(launched_at__isnull=False).order_by("pk")
        for what, amount in money(campaign).items()
    }
    yield State(
        "preferee_dollars",
        "Dollars with fees: spent, owed, held for a person, promised (on live places), and committed (all four).",
        ("campaign", "what"),
        values,
    )


def _counted(rows: object) -> dict[tuple[str, ...], float]:
    counted = rows.order_by().annotate(number=Count("pk"))  # type: ignore[attr-defined]
    return {tuple(labels): number for *labels, number in counted}
