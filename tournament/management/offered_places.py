"""Advance challenges and post places from the tournament's commands."""

from config.background.followed_jobs import attend
from config.commands.console import Command
from config.process import launcher
from judging.jobs import ring_to_post_places
from judging.models import Campaign
from tournament import services


def advance_and_offer(command: Command, campaign: Campaign) -> dict[str, int | bool]:
    """Advance the campaign's challenges and post their tasks.

    Returns the numbers of missing judgments: ``asked`` (requested now), ``under_way`` (requested earlier) and
    ``waiting`` (to be requested once they fill a task or no other judgment is pending).
    """
    advance = services.advance_challenges(campaign=campaign).get(campaign.pk, services.Advance())
    if advance.asked:
        offer_places(command, campaign)
    return {"asked": advance.asked, "under_way": advance.under_way, "waiting": advance.waiting}


def offer_places(command: Command, campaign: Campaign) -> None:
    """Post the campaign's missing places and wait until they are posted; if it is not open, only print a note."""
    campaign.refresh_from_db()
    if campaign.state != Campaign.State.OPEN:
        command.note(f"The campaign is {campaign.state}. Its tasks will be posted once it is open.")
        return
    job = ring_to_post_places(campaign)
    with launcher.crowd_running(), command.progress("Offering places") as update:
        attend(job, progress=update)
