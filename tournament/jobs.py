from dataclasses import asdict
from typing import Any

from config.background.job_kinds import Progress, job_kind
from judging.jobs import ring_to_post_places
from judging.models import Campaign
from tournament import services


@job_kind("tournament.advance_challenges")
def advance_challenges_job(*, progress: Progress, campaign_id: int | None = None) -> dict[str, Any]:
    """Request the judgments that challenges need next, finish complete challenges, and request the missing places."""
    campaign = None if campaign_id is None else Campaign.objects.get(pk=campaign_id)
    advances = services.advance_challenges(campaign=campaign)
    for done, (key, advance) in enumerate(advances.items(), start=1):
        if advance.asked:
            ring_to_post_places(Campaign.objects.get(pk=key))
        progress(done, len(advances), "Checking challenges")
    return {str(key): asdict(advance) for key, advance in advances.items()}


@job_kind(
    "tournament.compare_versions",
    wanted=services.versions_changed,
    words="comparing versions with current judgments",
)
def compare_versions_job(**_: Any) -> dict[str, Any]:
    """Compare the latest versions with current judgments, because pages cannot wait for the comparison."""
    return {"compared": services.compare_versions()}
