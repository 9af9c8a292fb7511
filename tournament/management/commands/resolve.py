from typing import Any

from config.commands.console import CommandParser
from config.plurals import many
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from tournament import services
from tournament.management.offered_places import advance_and_offer

#: The maximum number of open and tied queries explained on a terminal.
SHOWN = 10


class Command(CampaignCommand):
    help = "Find every query's best answers from the judgments that currently count."
    example = "manage.py resolve spring --ties keep"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--ties",
            choices=["recount", "keep"],
            default="recount",
            help="recount wins among tied passages, or keep all of them (default: recount)",
        )
        parser.add_argument(
            "--count",
            choices=["shares", "majority"],
            default="shares",
            help="split a pair's win by its judgments, or give it to the majority (default: shares)",
        )

    def act_on(self, named: Campaign, *, ties: str, count: str, **options: Any) -> dict[str, Any]:
        challenge = advance_and_offer(self, named)
        if out := sum(challenge.values()):
            self.note(
                f"A challenge still needs {many(out, 'judgment')}. Its queries keep their best answers until it ends."
            )
        summary = services.resolve(campaign=named, ties=ties, count=count)
        return {**summary, "challenge": challenge, "results": services.query_results(named)}

    def show(self, result: dict[str, Any]) -> None:
        rows = result["results"]
        super().show({key: value for key, value in result.items() if key != "results"})
        for row in [row for row in rows if row["status"] == "open" or row["tied"]][:SHOWN]:
            self.out.print(f"{row['qid']}: {row['reason']}", markup=False)
        if more := max(0, result["open"] + result["tied"] - SHOWN):
            self.out.print(f"… and {more:,} more; use --json to see every query's result and reason.")
