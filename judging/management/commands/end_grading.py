from typing import Any

from config.commands.console import CommandParser
from judging.grading.graded_campaigns import end_campaign, reopen_campaign
from judging.grading.topic_states import grading_summary, states_of
from judging.management.campaign_command import GradingCommand
from judging.models import GradedCampaign


class Command(GradingCommand):
    help = "End the judging of a graded campaign: every started topic is decided. --reopen continues judging."
    example = 'manage.py end_grading mine graded --why "the assessors\' contract ends"'
    why = "kept in the collection's log"
    why_required = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reopen",
            action="store_true",
            help="continue judging, and reverse the decisions that the end made",
        )
        parser.add_argument("--budget", type=int, metavar="N", help="with --reopen: the new budget")

    def act_on(
        self, found: GradedCampaign, *, why: str, reopen: bool, budget: int | None, **options: Any
    ) -> dict[str, Any]:
        if reopen:
            reopen_campaign(found, why=why, budget=budget, who=self.who)
        else:
            end_campaign(found, why=why, who=self.who)
        return grading_summary(found, states_of(found))

    def show(self, result: dict[str, Any]) -> None:
        super().show(
            {name: value for name, value in result.items() if name not in ("scale", "rules", "effort")}
        )
