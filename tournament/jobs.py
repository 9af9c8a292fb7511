"""The tournament's background work."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from config.background.models import Job
from config.background.registry import Progress, job_kind
from config.background.services import start
from judging.models import Campaign
from tournament import services


@job_kind("tournament.advance_challenges")
def advance_challenges(*, progress: Progress, campaign_id: int | None = None) -> dict[str, Any]:
    """Ask what challenges need next, finish those that lack nothing, and ring for the places wanted."""
    campaign = None if campaign_id is None else Campaign.objects.get(pk=campaign_id)
    advances = services.advance_challenges(campaign=campaign)
    for done, (key, advance) in enumerate(advances.items(), start=1):
        if advance.asked:
            post_places(key)
        progress(done, len(advances), "Looking at challenges")
    return {str(key): asdict(advance) for key, advance in advances.items()}


@job_kind(
    "tournament.compare_versions",
    wanted=services.versions_changed,
    words="comparing versions with what counts now",
)
def compare_versions(**_: Any) -> dict[str, Any]:
    """Compare the latest versions with what counts now, for pages that cannot wait."""
    return {"compared": services.compare_versions()}


def post_places(campaign_id: int) -> Job:
    """Ring for the campaign's wanted places to be offered."""
    return start(
        "judging.post_places",
        key=f"judging.post_places:{campaign_id}",
        arguments={"campaign_id": campaign_id},
    )
