from typing import Any

from config.commands.console import CommandParser
from config.plurals import many
from judging.management.amounts import dollars_option
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from tournament import services
from tournament.management.offered_places import offer_places


class Command(CampaignCommand):
    help = (
        "Compare the unseen top passages of new runs with the current best answers. First prints the numbers of "
        "pairs and tasks and the cost. The tasks are then posted, collected and resolved as usual."
    )
    example = "manage.py challenge spring --runs new-run --rule lead2"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--runs", nargs="+", required=True, metavar="TAG", help="tags of the new runs")
        parser.add_argument(
            "--rule",
            choices=["lead2", "single"],
            default="lead2",
            help="lead2: judge a pair until a side leads by 2 or it has five judgments; single: judge it once "
            "(default: lead2)",
        )
        parser.add_argument("--dry-run", action="store_true", help="only print the cost estimate")
        parser.add_argument(
            "--confirm-spend",
            metavar="AMOUNT",
            help="dollars you agree to spend (required if the crowd site charges real money)",
        )

    def act_on(
        self,
        named: Campaign,
        *,
        runs: list[str],
        rule: str,
        dry_run: bool,
        confirm_spend: str | None,
        **options: Any,
    ) -> dict[str, Any]:
        agreed = None if confirm_spend is None else dollars_option("--confirm-spend", confirm_spend)
        with self.progress("Fetching texts") as update:
            plan = services.plan_challenge(campaign=named, run_tags=runs, rule=rule, progress=update)
        expected = plan.summary()
        self._tell(expected)
        if dry_run:
            return {"challenge": None, "state": "planned", "asked": 0, **expected}
        opened = services.open_challenge(plan=plan, confirm_spend=agreed)
        if opened.challenge is None:
            self.note(
                "Nothing to judge: the runs have no new top passages for queries with settled best answers."
            )
            return {"challenge": None, "state": "done", "asked": 0, **expected}
        if opened.advance.asked:
            offer_places(self, named)
        return {
            "challenge": opened.challenge.number,
            "state": opened.challenge.state,
            "asked": opened.advance.asked,
            **expected,
        }

    def _tell(self, expected: dict[str, Any]) -> None:
        cost = expected["cost"]
        ranges = [
            f"{expected[what]['fewest']} to {expected[what]['most']} {what}"
            for what in ("pairs", "judgments", "tasks")
        ]
        self.note(
            f"{many(expected['challengers'], 'challenger')} in "
            f"{many(expected['queries'], 'query', 'queries')}: {', '.join(ranges)}, "
            f"${cost['fewest']:,.2f} to ${cost['most']:,.2f} with fees."
        )
        if expected["joining"]:
            joins = many(expected["joining"], "new passage joins", "new passages join")
            self.note(f"{joins} a best answer without judging, because the texts are (nearly) the same.")
        if expected["not_covered"]:
            lacking = many(expected["not_covered"], "query of these runs has", "queries of these runs have")
            self.note(f"{lacking} no settled best answer yet and will be skipped.")
