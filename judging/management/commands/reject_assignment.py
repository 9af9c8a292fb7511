from typing import Any

from config.commands.console import CommandParser
from config.process import launcher
from judging.errors import CampaignRefused
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money.rejections import WARNING, reject, submission_of


class Command(CampaignCommand):
    help = (
        "Refuse to pay one submission, and tell the worker why. On its own, Preferee rejects only tasks without a "
        "judged pair. override_rejection reverses a rejection within 30 days of the submission."
    )
    example = 'manage.py reject_assignment spring 412-X9KQ2T --why "every answer was sent by a script" --yes'
    why = "the reason sent to the worker; kept with the decision"
    why_required = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", help="its assignment id at the crowd, or its receipt")
        parser.add_argument("--yes", action="store_true", help="confirm that you have read the warning")

    def act_on(
        self, found: Campaign, *, submission: str, why: str, yes: bool, **options: Any
    ) -> dict[str, Any]:
        rejected = submission_of(found, submission)
        if not yes:
            raise CampaignRefused(
                f"{WARNING} Nothing was rejected.",
                f"Exclude the worker instead: manage.py exclude_worker {found.name} {rejected.worker_id}. "
                "To reject it anyway, repeat the command with --yes.",
            )
        with launcher.crowd_running():
            reject(found, rejected, why=why, who=self.who)
        return {"campaign": found.name, "rejected": rejected.assignment_id, "why": why}
