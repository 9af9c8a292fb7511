from typing import Any

from judging.exchange.calls import allow_retries
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.watching.status import campaign_status


class Command(CampaignCommand):
    help = (
        "Retry calls that the crowd refused permanently, once you have fixed the cause. "
        "Calls that succeeded are not repeated."
    )
    example = "manage.py ask_again spring"

    def act_on(self, found: Campaign, **options: Any) -> dict[str, Any]:
        count = allow_retries(found)
        self.collect(found, "Asking the crowd again")
        status = campaign_status(found)
        return {"campaign": found.name, "asked_again": count, "problems": status["problems"]}
