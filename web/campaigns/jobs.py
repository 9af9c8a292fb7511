"""Background jobs in which simulated workers judge a launched campaign."""

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
from web.campaigns.simulation import check_unmixed, reason_not_to_simulate
from web.common.job_progress import Work

SIMULATE = "web.simulate"


def ring_for_simulation(campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, who: str) -> Job:
    """Start simulated workers on a launched campaign; while they judge, another call returns the same job."""
    check_crew(settings)
    arguments = {"campaign_id": campaign.pk, "truth_id": truth.pk, "settings": asdict(settings), "who": who}
    return start(SIMULATE, key=f"{SIMULATE}:{campaign.pk}", arguments=arguments)


def simulation_of(campaign: Campaign) -> Job | None:
    """Return the latest simulation job."""
    return Job.objects.filter(key=f"{SIMULATE}:{campaign.pk}").order_by("-pk").first()


def waits_for_simulation(campaign: Campaign, *, began: bool) -> bool:
    """Return whether only simulated workers judge the campaign, and somebody has to start them.

    They judge a campaign that people cannot read, and one that they have begun (``began``) as a background job.
    """
    if (
        not (campaign.placeholder_text or began)
        or campaign.rehearsal_of_id
        or reason_not_to_simulate(campaign)
    ):
        return False
    last = simulation_of(campaign)
    return (campaign.placeholder_text or last is not None) and not Work(last).live


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
