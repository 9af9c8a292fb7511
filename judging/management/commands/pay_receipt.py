from typing import Any

from config.commands.console import CommandParser
from judging.errors import BadInput
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money.unlisted_work import ANOTHER_WAY, BONUS, missing_by_receipt, missing_work, pay_missing


class Command(CampaignCommand):
    help = (
        "List work that was submitted on our page but never listed by the crowd. With a receipt and --why, record "
        "its pay. With --bonus, the crowd pays it at the next collection on another assignment of the worker. "
        "Without --bonus, note in --why how you paid it another way; settle_payment --undo removes the note."
    )
    example = 'manage.py pay_receipt spring 412-X9KQ2T --bonus --why "the crowd lost it"'
    why = "why or how it was paid; kept with the payment"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("receipt", nargs="?", help="the receipt shown on the worker's last page")
        parser.add_argument("--bonus", action="store_true", help="pay as a bonus (default: paid another way)")

    def act_on(
        self, found: Campaign, *, receipt: str | None, bonus: bool, why: str, **options: Any
    ) -> dict[str, Any]:
        result = {}
        if receipt is None and (bonus or why):
            raise BadInput("The receipt is missing.", f"manage.py pay_receipt {found.name} lists receipts.")
        if receipt is not None:
            submission = missing_by_receipt(found, receipt)
            way = BONUS if bonus else ANOTHER_WAY
            paid = pay_missing(found, submission, way=way, why=why, who=self.who)
            result = {"paid": float(paid), "way": way}
        rows = [one.as_dict() | {"earned": float(one.earned)} for one in missing_work(found)]
        return {"campaign": found.name, **result, "missing": rows}

    def show(self, result: dict[str, Any]) -> None:
        if "paid" in result:
            how = (
                "will be paid by the next collection"
                if result["way"] == BONUS
                else "noted as paid another way"
            )
            self.out.print(f"${result['paid']:,.2f} {how}.", markup=False)
        if not result["missing"]:
            self.out.print(f"All work submitted in {result['campaign']} is listed or paid.", markup=False)
        for row in result["missing"]:
            pairs = f"{row['judged']} of {row['shown']} pairs"
            line = f"{row['receipt']}: ${row['earned']:,.2f} for worker {row['worker']}, {pairs}."
            self.out.print(f"{line} Ways to pay: {', '.join(row['ways'])}.", markup=False)
