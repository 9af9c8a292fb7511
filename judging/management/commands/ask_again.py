from typing import Any

from config.process import launcher
from judging.exchange.calls import allow_retries
from judging.management.campaign_command import CampaignCommand
from judging.management.commands.collect import collect_once
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
        with launcher.crowd_running(), self.progress("Asking the crowd again") as progress:
            collect_once(found, progress)
        status = campaign_status(found)
        return {"campaign": found.name, "asked_again": count, "problems": status["problems"]}
