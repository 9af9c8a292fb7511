from typing import Any

from config.commands.console import CommandParser
from config.process import launcher
from judging.management.campaign_command import CampaignCommand, collect_once
from judging.models import Campaign
from judging.money.rejections import override_rejection, submission_of


class Command(CampaignCommand):
    help = (
        "Reverse a rejection: the reward is approved now, and the next collection pays the bonus. A bonus for pairs "
        "that only the crowd's form claims is held again; held_payments decides about it."
    )
    example = 'manage.py override_rejection spring 412-X9KQ2T --why "it was a person after all"'
    why = "kept in the campaign's log"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", help="its assignment id at the crowd, or its receipt")

    def act_on(self, found: Campaign, *, submission: str, why: str, **options: Any) -> dict[str, Any]:
        approved = submission_of(found, submission)
        with launcher.crowd_running(), self.progress("Paying") as progress:
            override_rejection(found, approved, why=why, who=self.who)
            collect_once(found, progress)
        return {"campaign": found.name, "approved": approved.assignment_id}
