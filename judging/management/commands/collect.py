import time
from typing import Any

from config.commands.console import CommandParser
from config.process import launcher
from judging.management.campaign_command import CampaignCommand, collect_once
from judging.models import Campaign
from judging.watching.status import campaign_status, is_complete


class Command(CampaignCommand):
    help = "Fetch submissions from the crowd, count or exclude them, pay, and offer missing tasks again."
    example = "manage.py collect spring --wait"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--wait", action="store_true", help="keep collecting until every task is done (Ctrl-C stops)"
        )

    def act_on(self, found: Campaign, *, wait: bool, **options: Any) -> dict[str, Any]:
        with launcher.crowd_running(), self.progress("Collecting") as progress:
            while True:
                collect_once(found, progress)
                if not wait or is_complete(found):
                    break
                status = campaign_status(found)
                progress(status["tasks_by_state"]["done"], status["tasks"], "Tasks done")
                time.sleep(5)
        return campaign_status(found)
