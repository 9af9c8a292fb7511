"""Metrics on campaigns for monitoring an installation. They identify no worker."""

from collections.abc import Iterator

from django.db.models import Count, Q

from config.monitoring.metrics import State, state_reader
from judging.campaign.cost import money
from judging.models import Campaign, CrowdCall, Exclusion, Place, Submission, Task


@state_reader
def campaign_work() -> Iterator[State]:
    """Count campaigns by state, and the tasks, places, submissions and exclusions of each launched campaign."""
    launched = Q(launched_at__isnull=False)
    campaigns = Campaign.objects.filter(launched)
    yield State(
        "preferee_campaigns",
        "Campaigns, by state.",
        ("state",),
        _count_by_labels(Campaign.objects.values_list("state")),
    )
    tasks = Task.objects.filter(campaign__in=campaigns).values_list("campaign__name", "state")
    yield State("preferee_tasks", "Tasks, by state.", ("campaign", "state"), _count_by_labels(tasks))
    places = Place.objects.filter(posting__campaign__in=campaigns)
    yield State(
        "preferee_places",
        "Places, by state: wanted (not offered yet), open, filled, gone.",
        ("campaign", "state"),
        _count_by_labels(places.values_list("posting__campaign__name", "state")),
    )
    submissions = Submission.objects.filter(campaign__in=campaigns)
    yield State(
        "preferee_submissions",
        "Submissions, by state and standing. Collected submissions are in state submitted.",
        ("campaign", "state", "standing"),
        _count_by_labels(submissions.values_list("campaign__name", "state", "standing")),
    )
    exclusions = Exclusion.objects.filter(campaign__in=campaigns)
    yield State(
        "preferee_exclusions",
        "Workers currently excluded, by rule.",
        ("campaign", "rule"),
        _count_by_labels(exclusions.filter(reversed_at=None).values_list("campaign__name", "rule")),
    )


@state_reader
def calls() -> Iterator[State]:
    """Count calls that change something at a crowd, by operation, state and last error."""
    rows = CrowdCall.objects.values_list("operation", "state", "error_class")
    yield State(
        "preferee_crowd_intents",
        "Calls that change something at a crowd, by state (intended: not done yet) and last error class.",
        ("operation", "state", "error"),
        _count_by_labels(rows),
    )


@state_reader
def campaign_dollars() -> Iterator[State]:
    """Sum the money of every launched campaign, in dollars, fees included."""
    values: dict[tuple[str, ...], float] = {
        (campaign.name, what): float(amount)
        for campaign in Campaign.objects.filter(launched_at__isnull=False).order_by("pk")
        for what, amount in money(campaign).items()
    }
    yield State(
        "preferee_dollars",
        "Dollars including fees: spent, owed, held for a decision, promised (live places), committed (all four).",
        ("campaign", "what"),
        values,
    )


def _count_by_labels(rows: object) -> dict[tuple[str, ...], float]:
    counted = rows.order_by().annotate(number=Count("pk"))  # type: ignore[attr-defined]
    return {tuple(labels): number for *labels, number in counted}
