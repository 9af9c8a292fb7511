from dataclasses import asdict
from decimal import Decimal
from typing import Any

from rich import box
from rich.table import Table

from config.commands.console import CommandParser
from config.plurals import many
from config.process import launcher
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money.ledger import compare_books, ledger


class Command(CampaignCommand):
    help = (
        "Show what a campaign has promised, owes and has paid, fees included. --check compares this with the crowd's "
        "payments for every place and lists each difference."
    )
    example = "manage.py ledger spring --check"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="compare with the crowd's books; the exit status is 1 if they differ",
        )

    def act_on(self, found: Campaign, *, check: bool, **options: Any) -> dict[str, Any]:
        books = _as_numbers(ledger(found))
        if not check:
            return books
        with launcher.crowd_running(), self.progress("Reading the crowd's books") as progress:
            compared = compare_books(found, progress=progress)
        refused = [
            f"{row.assignment_id}, {row.kind}: ${row.ours:,.2f} here, ${row.theirs:,.2f} there; {row.meaning}."
            for row in compared.differences
        ]
        return {**books, "check": _as_numbers(asdict(compared)), **({"refused": refused} if refused else {})}

    def refusals(self, result: dict[str, Any]) -> list[str]:
        return list(result.get("refused", []))

    def show(self, result: dict[str, Any]) -> None:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("payments")
        for head in ("state", "number", "dollars", "fees"):
            table.add_column(head, justify="left" if head == "state" else "right")
        for row in result["rows"]:
            cells = (f"{row['payments']:,}", f"{row['amount']:,.2f}", f"{row['fees']:,.2f}")
            table.add_row(row["kind"].replace("_", "-"), row["state"], *cells)
        self.out.print(table)
        for name in ("promised", "held", "owed", "spent", "committed"):
            self.out.print(f"{name:<10} ${result[name]:>12,.2f}  {MEANINGS[name]}", markup=False)
        if result["cap"] is not None:
            self.out.print(f"{'cap':<10} ${result['cap']:>12,.2f}  the most that can be committed")
        if check := result.get("check"):
            same = "equal" if not check["differences"] else "not equal"
            self.out.print(
                f"The crowd's books ({many(check['places'], 'place')}): ${check['theirs']:,.2f} without fees, "
                f"ours ${check['ours']:,.2f}: {same}."
            )


MEANINGS = {
    "promised": "for tasks on offer, fees included",
    "held": "for submitted work, until a person decides, fees included",
    "owed": "for submitted work, fees included",
    "spent": "paid, fees included",
    "committed": "sum of the four above",
}


def _as_numbers(value: Any) -> Any:
    """Convert all dollar amounts in the value, however nested, to numbers for JSON."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _as_numbers(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_as_numbers(one) for one in value]
    return value
