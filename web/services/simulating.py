"""Which campaigns may be judged by simulated workers from their page: those that no person has worked in."""

from __future__ import annotations

from urllib.parse import urlsplit

from judging.errors import CampaignRefused
from judging.models import Campaign, Submission
from judging.simulation import LOOPBACK


def why_not(campaign: Campaign) -> str:
    """Why simulated workers may not judge it now; empty when they may.

    Judgments of people and of software must not be mixed by a click: who wants that types the command.
    """
    if campaign.pool_id is None or campaign.state not in Campaign.OFFERING:
        return f"{campaign.name} is {campaign.label}: nothing is offered."
    if urlsplit(campaign.endpoint).hostname not in LOOPBACK:
        return f"Simulated workers work on this machine's marketplace only, not at {campaign.endpoint}."
    if people_worked(campaign):
        return (
            f"People have worked in {campaign.name}. Their judgments are not mixed with simulated ones here."
        )
    return ""


def people_worked(campaign: Campaign) -> bool:
    """Whether a person has opened a task of it, trials of its pages apart."""
    work = Submission.objects.filter(campaign=campaign, worker__simulated=False)
    return work.exclude(standing=Submission.Standing.TRIAL).exists()


def check_unmixed(campaign: Campaign) -> None:
    """Raises CampaignRefused when :func:`why_not` has a reason."""
    if reason := why_not(campaign):
        raise CampaignRefused(reason, "Rehearse a copy instead.")
