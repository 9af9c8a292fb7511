"""Simulated workers in a launched campaign: when they can judge, and whether they do."""

from urllib.parse import urlsplit

from config.background.models import Job
from judging.errors import CampaignRefused
from judging.models import Campaign, Submission
from judging.simulation.leftovers import simulation_running
from judging.simulation.simulated_workers import LOOPBACK
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
