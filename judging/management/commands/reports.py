from contextlib import suppress
from typing import Any

from config.commands.console import CommandParser, UsageError
from judging.errors import CrowdError
from judging.intake.screened_work import standing_exclusion
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.people import appeal_answers
from judging.workers import notices


class Command(CampaignCommand):
    help = "List open reports of pairs and open appeals, or settle one."
    example = 'manage.py reports spring --settle r12 --why "markup in the passage; pair kept"'
    why = "the outcome; sent to the worker who appealed"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="also list settled ones")
        parser.add_argument("--settle", metavar="NAME", help="a report (r12) or an appeal (a3)")

    def act_on(self, found: Campaign, *, settle: str | None, why: str, **options: Any) -> dict[str, Any]:
        if settle and not why.strip():
            raise UsageError("--settle needs --why with the outcome.")
        if settle:
            appeal_answers.settle_report_or_appeal(found, settle, why=why, who=self.who)
            with suppress(CrowdError):  # the next collection tries again
                notices.send_notices(found)
        next_step = _step_after_answer(found, settle) if settle else ""
        return {
            "reports": appeal_answers.report_rows(found, settled=options["all"]),
            "appeals": appeal_answers.appeals(found, settled=options["all"]),
            **({"next": next_step} if next_step else {}),
        }

    def show(self, result: dict[str, Any]) -> None:
        for row in result["reports"]:
            said = f": {row['words']}" if row["words"] else ""
            kind = f", gold pair {row['gold_pair']}" if row["gold_pair"] else ""
            pair = f"{row['qid']}: {row['left']} | {row['right']}{kind}, worker {row['worker']}"
            self.out.print(f"{row['report']}  {row['kind']}{said}\n    {pair}{_outcome(row)}", markup=False)
        for row in result["appeals"]:
            words = f"{row['appeal']}  appeal, {row['refusal']}: {row['words']}"
            sure = (
                ""
                if row["confirmed"]
                else " according to the page's address, which anybody could have made up"
            )
            self.out.print(
                f"{words}\n    worker {row['worker']}{sure}{_due(row)}{_outcome(row)}", markup=False
            )
        if not result["reports"] and not result["appeals"]:
            self.out.print("No open reports or appeals.")
        if "next" in result:
            self.out.print(result["next"], markup=False)


def _step_after_answer(campaign: Campaign, name: str) -> str:
    """Return the next step if an appeal was answered but its worker is still excluded, else ""."""
    if not name.startswith("a"):
        return ""
    worker = campaign.appeals.get(pk=name[1:]).worker
    if not standing_exclusion(campaign, worker):
        return ""
    return (
        f"Worker {worker.pk} is still excluded. If that was a mistake: "
        f'manage.py reinstate_worker {campaign.name} {worker.pk} --why "…"'
    )


def _due(row: dict[str, Any]) -> str:
    if row["settled"]:
        return ""
    return f", answer due {row['due'][:10]}{': OVERDUE' if row['overdue'] else ''}"


def _outcome(row: dict[str, Any]) -> str:
    return f", settled: {row['settled']}" if row["settled"] else ""
