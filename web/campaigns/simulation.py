"""Decide whether simulated workers may judge a campaign: only if no person has worked in it."""

from urllib.parse import urlsplit

from judging.errors import CampaignRefused
from judging.models import Campaign, Submission
from judging.simulation.simulated_workers import LOOPBACK


def reason_not_to_simulate(campaign: Campaign) -> str:
    """Return why simulated workers cannot judge the campaign now; empty if they can.

    A click must not mix judgments of people and software; only the command can.
    """
    if campaign.pool_id is None or campaign.state not in Campaign.OFFERING:
        return f"{campaign.name} is {campaign.label}, so it offers no tasks."
    if not is_local(campaign):
        return f"Simulated workers can only use this machine's marketplace, not {campaign.endpoint}."
    if people_have_worked(campaign):
        return f"People have worked in {campaign.name}. Their judgments cannot be mixed with simulated ones here."
    return ""


def is_local(campaign: Campaign) -> bool:
    """Return whether the campaign is at this machine's marketplace."""
    return urlsplit(campaign.endpoint).hostname in LOOPBACK


def people_have_worked(campaign: Campaign) -> bool:
    """Return whether a person has opened one of its tasks, other than to try its pages."""
    work = Submission.objects.filter(campaign=campaign, worker__simulated=False)
    return work.exclude(standing=Submission.Standing.TRIAL).exists()


def check_unmixed(campaign: Campaign) -> None:
    """Raise CampaignRefused if :func:`reason_not_to_simulate` returns a reason."""
    if reason := reason_not_to_simulate(campaign):
        raise CampaignRefused(reason, "Rehearse a copy instead.")
