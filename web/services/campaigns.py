"""Campaigns and how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, QuerySet, Sum

from judging.models import Campaign, CampaignChange, Exclusion, Judgment, Payment, Task, TaskPair
from judging.services.status import campaign_status
from pooling.models import Collection
from tournament.models import Challenge, QrelVersion, Resolution

COUNTED = ("queries", "closed", "open", "singletons", "tied", "cycles")


@dataclass(frozen=True)
class Progress:
    """A campaign in a list: judgments counted of those wanted, tasks done of all, dollars, exclusions."""

    campaign: Campaign
    counted: int
    wanted: int
    tasks_done: int
    tasks: int
    spent: Decimal
    owed: Decimal
    exclusions: int
    simulated: bool

    @property
    def imported(self) -> bool:
        """Whether its judgments were made elsewhere, so that it asks nobody."""
        return self.campaign.pool_id is None

    @property
    def moving(self) -> bool:
        """Whether it may change while somebody looks."""
        return self.campaign.state in (*Campaign.OFFERING, Campaign.State.CLOSING)


def progress_of(campaigns: Sequence[Campaign]) -> list[Progress]:
    """The progress of many campaigns with one database query a figure, not one a campaign."""
    keys = [campaign.pk for campaign in campaigns]
    judgments = Judgment.objects.filter(campaign__in=keys)
    counted = _by_campaign(judgments.counted(), "campaign")
    imported = _by_campaign(judgments.filter(submission=None), "campaign")
    simulated = _by_campaign(judgments.filter(judge_kind=Judgment.JudgeKind.SIMULATED), "campaign")
    asked = _by_campaign(TaskPair.objects.filter(task__campaign__in=keys), "task__campaign")
    excluded = _by_campaign(Exclusion.objects.filter(campaign__in=keys, reversed_at=None), "campaign")
    tasks = Task.objects.filter(campaign__in=keys)
    all_tasks, done = (
        _by_campaign(rows, "campaign") for rows in (tasks, tasks.filter(state=Task.State.DONE))
    )
    money = _money(keys)
    return [
        Progress(
            campaign=campaign,
            counted=counted.get(campaign.pk, 0),
            wanted=asked.get(campaign.pk, 0) + imported.get(campaign.pk, 0),
            tasks_done=done.get(campaign.pk, 0),
            tasks=all_tasks.get(campaign.pk, 0),
            spent=money.get((campaign.pk, Payment.State.PAID), Decimal(0)),
            owed=money.get((campaign.pk, Payment.State.OWED), Decimal(0)),
            exclusions=excluded.get(campaign.pk, 0),
            simulated=bool(simulated.get(campaign.pk)),
        )
        for campaign in campaigns
    ]


def campaigns_of(collections: Sequence[Collection]) -> list[Campaign]:
    """The campaigns of these collections, the newest first."""
    rows = Campaign.objects.filter(collection__in=[collection.pk for collection in collections])
    return list(rows.select_related("collection", "pool").order_by("-created_at", "-pk"))


def campaign_page(campaign: Campaign) -> dict[str, Any]:
    """All that a campaign's page shows."""
    resolution = Resolution.objects.filter(campaign=campaign).first()
    return {
        "campaign": campaign,
        "status": (status := campaign_status(campaign)),
        "differences": [
            (kind.replace("_", " "), number) for kind, number in status["differences"].items() if number
        ],
        "progress": progress_of([campaign])[0],
        "resolution": resolution,
        "queries": [(key, resolution.summary.get(key)) for key in COUNTED] if resolution else [],
        "challenges": list(Challenge.objects.filter(campaign=campaign).order_by("number")),
        "versions": list(QrelVersion.objects.filter(campaign=campaign).order_by("-number")),
        "changes": list(
            CampaignChange.objects.filter(campaign=campaign).order_by("-happened_at", "-pk")[:50]
        ),
    }


def _by_campaign(rows: QuerySet[Any], path: str) -> dict[int, int]:
    return dict(rows.values_list(path).annotate(Count("pk")).order_by())


def _money(campaigns: list[int]) -> dict[tuple[int, str], Decimal]:
    rows = (
        Payment.objects.filter(submission__campaign__in=campaigns)
        .values_list("submission__campaign", "state")
        .annotate(total=Sum(F("amount") + F("fee")))
        .order_by()
    )
    return {(campaign, state): total for campaign, state, total in rows}
