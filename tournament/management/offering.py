"""What the tournament's commands do about places: post them now, when nobody else is at work."""

from __future__ import annotations

from config import launcher
from config.background.attending import attend
from config.console import Command
from judging.models import Campaign
from tournament import jobs, services


def advance_and_offer(command: Command, campaign: Campaign) -> dict[str, int | bool]:
    """Move the campaign's challenges on and have what they ask offered; returns judgments still to come."""
    advance = services.advance_challenges(campaign=campaign).get(campaign.pk, services.Advance())
    if advance.asked:
        offer(command, campaign)
    return {"asked": advance.asked, "under_way": advance.under_way, "waiting": advance.waiting}


def offer(command: Command, campaign: Campaign) -> None:
    """Have the campaign's wanted places posted."""
    campaign.refresh_from_db()
    if campaign.state != Campaign.State.OPEN:
        command.note(f"The campaign is {campaign.state}: its tasks are offered when it is open.")
        return
    job = jobs.post_places(campaign.pk)
    with launcher.crowd_running(), command.progress("Offering places") as update:
        attend(job, progress=update)
