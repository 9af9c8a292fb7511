from dataclasses import asdict
from typing import Any

from django.db.models import Q

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from judging.campaign.rehearsal_copy import REHEARSE, rehearsal_key
from judging.models import Campaign
from judging.simulation.rehearsals import check_crew, rehearse_campaign as run_rehearsal
from judging.simulation.simulated_workers import SimulationSettings
from pooling.intake.added_files import ask_to_add
from pooling.jobs import ring_for_files
from pooling.models import QrelSet
from web.preparation.rehearsal_results import rehearsal_forecast


def ring_for_rehearsal(campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, who: str) -> Job:
    """Start a rehearsal; while one is running, another call returns the same job."""
    check_crew(settings)
    arguments = {"campaign_id": campaign.pk, "truth_id": truth.pk, "settings": asdict(settings), "who": who}
    return start(REHEARSE, key=rehearsal_key(campaign), arguments=arguments)


def ring_for_gold_texts(campaign: Campaign, user: Any) -> bool:
    """Start looking for missing texts of gold pairs in the passage files. Return whether a job was started.

    No job is started if no text is missing or the collection has no passage files.
    """
    lacking = Q(relevant__text=None) | Q(off_topic__text=None)
    missing = campaign.gold_pairs.filter(lacking).exists()
    if not missing or not campaign.collection.sources.exists():
        return False
    ring_for_files(ask_to_add(collection=campaign.collection, user=user))
    return True


@job_kind(REHEARSE, max_attempts=3, words="the rehearsal")
def rehearse_job(
    *, progress: Progress, campaign_id: int, truth_id: int, settings: dict[str, Any], who: str
) -> dict[str, Any]:
    campaign = Campaign.objects.select_related("collection", "pool").get(pk=campaign_id)
    truth, crew = QrelSet.objects.get(pk=truth_id), SimulationSettings(**settings)
    progress(0, 1, "The campaign is being copied")
    rehearsed = run_rehearsal(campaign, truth, crew, who=who, progress=progress)
    return rehearsal_forecast(campaign, rehearsed, truth, crew)
