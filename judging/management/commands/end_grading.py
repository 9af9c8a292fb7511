from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from judging.grading.graded_campaigns import end_campaign, graded_campaign_named, reopen_campaign
from judging.grading.topic_states import grading_summary, states_of
from pooling.services.finding import collection_named


class Command(BaseCommand):
    help = "End the judging of a graded campaign: every started topic is decided. --reopen continues judging."
    example = 'manage.py end_grading mine graded --why "the assessors\' contract ends"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument("campaign", metavar="NAME", help="name of the graded campaign")
        parser.add_argument("--why", required=True, help="kept in the collection's log")
        parser.add_argument(
            "--reopen",
            action="store_true",
            help="continue judging, and reverse the decisions that the end made",
        )
        parser.add_argument("--budget", type=int, metavar="N", help="with --reopen: the new budget")

    def act(
        self, *, collection: str, campaign: str, why: str, reopen: bool, budget: int | None, **options: Any
    ) -> dict[str, Any]:
        found, who = graded_campaign_named(collection_named(collection), campaign), self.who
        if reopen:
            reopen_campaign(found, why=why, budget=budget, who=who)
        else:
            end_campaign(found, why=why, who=who)
        return grading_summary(found, states_of(found))

    def show(self, result: dict[str, Any]) -> None:
        super().show({name: value for name, value in result.items() if name not in ("scale", "rules")})
