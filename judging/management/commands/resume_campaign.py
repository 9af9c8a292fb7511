from typing import Any

from judging.campaign.campaigns import resume
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign


class Command(CampaignCommand):
    help = "Resume a paused campaign: the remaining tasks are offered again."
    example = 'manage.py resume_campaign spring --why "holiday"'
    why = "kept in the campaign's log"

    def act_on(self, found: Campaign, *, why: str, **options: Any) -> dict[str, Any]:
        resume(found, why=why, who=self.who)
        self.collect(found, "Offering places")
        return {"campaign": found.name, "state": found.state}
