from typing import Any

from config.background.followed_jobs import attend
from config.process import launcher
from judging.campaign.campaigns import pause
from judging.jobs import ring_to_close_places
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign


class Command(CampaignCommand):
    help = "Offer no more tasks for now. Workers who hold a task can finish it."
    example = 'manage.py pause_campaign spring --why "holiday"'
    why = "kept in the campaign's log"

    def act_on(self, found: Campaign, *, why: str, **options: Any) -> dict[str, Any]:
        launched = found.launched_at is not None
        pause(found, why=why, who=self.who)
        if launched:
            job = ring_to_close_places(found)
            with launcher.crowd_running(), self.progress("Withdrawing places from the crowd") as progress:
                attend(job, progress=progress)
        return {"campaign": found.name, "state": found.state}
