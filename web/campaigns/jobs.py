from dataclasses import asdict
from typing import Any

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from judging.campaign.campaigns import log_change
from judging.models import Campaign
from judging.simulation.rehearsals import check_crew
from judging.simulation.simulated_workers import SimulationSettings, simulate_workers
from pooling.models import QrelSet
from web.campaigns.simulated_judging import SIMULATE, check_unmixed


def ring_for_simulation(campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, who: str) -> Job:
    """Start simulated workers on a launched campaign; while they judge, another call returns the same job."""
    check_crew(settings)
    arguments = {"campaign_id": campaign.pk, "truth_id": truth.pk, "settings": asdict(settings), "who": who}
    return start(SIMULATE, key=f"{SIMULATE}:{campaign.pk}", arguments=arguments)


@job_kind(SIMULATE, max_attempts=3, words="the simulated workers")
def simulate_judgments(
    *, progress: Progress, campaign_id: int, truth_id: int, settings: dict[str, Any], who: str
) -> dict[str, Any]:
    """Have simulated workers judge the remaining tasks. A retry continues an interrupted attempt."""
    campaign = Campaign.objects.select_related("collection", "pool").get(pk=campaign_id)
    check_unmixed(campaign)
    log_change(campaign, "simulated workers started", who=who)
    done = simulate_workers(
        campaign, QrelSet.objects.get(pk=truth_id), SimulationSettings(**settings), progress=progress
    )
    return {"tasks": done.tasks, "judgments": done.judgments}
