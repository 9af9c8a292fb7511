"""Simulated workers in a launched campaign: when they can judge, and the job that runs them."""

from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from judging.campaign.campaigns import log_change
from judging.errors import CampaignRefused
from judging.models import Campaign, Submission
from judging.simulation.leftovers import simulation_running
from judging.simulation.rehearsals import check_crew
from judging.simulation.simulated_workers import LOOPBACK, SimulationSettings, simulate_workers
from pooling.models import QrelSet
from web.common.job_progress import Work

SIMULATE = "web.simulate"


def reason_not_to_simulate(campaign: Campaign) -> str:
    """Return why simulated workers cannot judge the campaign now; empty if they can.

    Only the command can mix judgments of people and simulated workers; a button on a page must not.
    """
    if campaign.pool_id is None or campaign.state not in Campaign.OFFERING:
        return f"{campaign.name} is {campaign.label}, so it offers no tasks."
    if not is_local(campaign):
        return f"Simulated workers can only use this machine's marketplace, not {campaign.endpoint}."
    if people_have_worked(campaign):
        return f"People have worked in {campaign.name}. Simulated judgments cannot be added to theirs."
    return ""


def is_local(campaign: Campaign) -> bool:
    """Return whether the campaign uses the marketplace of this machine."""
    return urlsplit(campaign.endpoint).hostname in LOOPBACK


def people_have_worked(campaign: Campaign) -> bool:
    """Return whether a person has opened a task of the campaign. Trials of the pages do not count."""
    work = Submission.objects.filter(campaign=campaign, worker__simulated=False)
    return work.exclude(standing=Submission.Standing.TRIAL).exists()


def check_unmixed(campaign: Campaign) -> None:
    """Raise CampaignRefused if :func:`reason_not_to_simulate` returns a reason."""
    if reason := reason_not_to_simulate(campaign):
        raise CampaignRefused(reason, "Rehearse a copy instead.")


def ring_for_simulation(campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, who: str) -> Job:
    """Start simulated workers on a launched campaign; while they judge, another call returns the same job."""
    check_crew(settings)
    arguments = {"campaign_id": campaign.pk, "truth_id": truth.pk, "settings": asdict(settings), "who": who}
    return start(SIMULATE, key=f"{SIMULATE}:{campaign.pk}", arguments=arguments)


def simulation_of(campaign: Campaign) -> Job | None:
    """Return the campaign's latest simulation job."""
    return Job.objects.filter(key=f"{SIMULATE}:{campaign.pk}").order_by("-pk").first()


def waits_for_simulation(campaign: Campaign, *, began: bool) -> bool:
    """Return whether the campaign waits for somebody to start the simulated workers, its only judges.

    Only simulated workers judge if passages have placeholder texts, or if simulated workers have already judged
    (``began``), even if they were started from a terminal.
    """
    if (
        not (campaign.placeholder_text or began)
        or campaign.rehearsal_of_id
        or reason_not_to_simulate(campaign)
    ):
        return False
    return not (Work(simulation_of(campaign)).live or simulation_running(campaign))


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
