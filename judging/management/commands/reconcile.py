from typing import Any

from config.commands.console import CommandParser, UsageError
from judging.errors import CampaignRefused
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money import discrepancies


class Command(CampaignCommand):
    help = (
        "Compare every submission with the crowd's list and show open differences: work that was submitted only at "
        "the crowd, only on our page, or with different answers. The collect command does this, too. --settle "
        "records that a person has reviewed a difference."
    )
    example = "manage.py reconcile spring"
    why = "the outcome; kept with the submission"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--settle", type=int, metavar="SUBMISSION", help="mark this submission as reviewed"
        )

    def act_on(self, found: Campaign, *, settle: int | None, why: str, **options: Any) -> dict[str, Any]:
        if settle is not None:
            if not why.strip():
                raise UsageError("--settle needs --why with the outcome.")
            if not discrepancies.settle_difference(found, settle, why=why, who=self.who):
                raise CampaignRefused(f"Submission {settle} of {found.name} has no open difference.")
        elif found.launched_at:
            self.collect(found, "Reading the crowd's list")
        return {
            "campaign": found.name,
            **discrepancies.count_open_differences(found),
            "open": discrepancies.difference_rows(found),
        }

    def show(self, result: dict[str, Any]) -> None:
        rows = result["open"]
        super().show({key: value for key, value in result.items() if key != "open"})
        for row in rows:
            detail = ", ".join(f"{key} {value}" for key, value in row["detail"].items())
            kind = row["kind"].replace("_", " ")
            what = f"submission {row['submission']} of worker {row['worker']}: {kind} ({detail})."
            self.out.print(f"{what} {row['next']}", markup=False)
