from typing import Any

from config.process import launcher
from judging.campaign.campaigns import resume
from judging.management.campaign_command import CampaignCommand
from judging.management.commands.collect import collect_once
from judging.models import Campaign


class Command(CampaignCommand):
    help = "Resume a paused campaign: the remaining tasks are offered again."
    example = 'manage.py resume_campaign spring --why "holiday"'
    why = "kept in the campaign's log"

    def act_on(self, found: Campaign, *, why: str, **options: Any) -> dict[str, Any]:
        resume(found, why=why, who=self.who)
        with launcher.crowd_running(), self.progress("Offering places") as progress:
            collect_once(found, progress)
        return {"campaign": found.name, "state": found.state}
