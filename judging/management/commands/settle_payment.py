from typing import Any

from rich import box
from rich.table import Table

from config.commands.console import CommandParser
from judging.errors import BadInput
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign, Payment, Submission
from judging.money.discrepancies import find_by_receipt, receipt_of
from judging.money.refused_payments import refused_payments, settle_payments, undo_settlement
from judging.money.rejections import submission_of


class Command(CampaignCommand):
    help = (
        "List payments that the crowd refuses permanently, for example to a closed account. With a submission and "
        "--why, note that a person paid them another way, or why nobody can; then the campaign can close. "
        "Preferee itself pays nothing here. --undo makes them owed again."
    )
    example = 'manage.py settle_payment spring 412-X9KQ2T --why "gift card, 3 May"'
    why = "how it was settled; kept with the payment"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", nargs="?", help="its receipt, or its assignment id at the crowd")
        parser.add_argument(
            "--undo", action="store_true", help="remove the note, so that the payments are owed again"
        )

    def act_on(
        self, found: Campaign, *, submission: str | None, why: str, undo: bool, **options: Any
    ) -> dict[str, Any]:
        result = {}
        if submission is None and (why or undo):
            raise BadInput(
                "The submission is missing. Pass its receipt, or its assignment id at the crowd.",
                f"manage.py settle_payment {found.name} lists the submissions.",
            )
        if submission is not None:
            decide = undo_settlement if undo else settle_payments
            amount = decide(found, _paid_submission(found, submission), why=why, who=self.who)
            result = {"owed_again" if undo else "settled": float(amount)}
        return {"campaign": found.name, **result, "refused": _refused_payment_rows(found)}

    def show(self, result: dict[str, Any]) -> None:
        if "settled" in result:
            self.out.print(f"${result['settled']:,.2f} settled.", markup=False)
        if "owed_again" in result:
            self.out.print(
                f"${result['owed_again']:,.2f} owed again. To have the crowd pay: "
                f"manage.py ask_again {result['campaign']}",
                markup=False,
            )
        if not result["refused"]:
            self.out.print(f"No refused payments are left to settle in {result['campaign']}.", markup=False)
            return
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for head in ("submission", "worker", "payment", "dollars", "what the crowd said"):
            table.add_column(head, justify="right" if head == "dollars" else "left")
        for row in result["refused"]:
            cells = (row["submission"], f"{row['worker']}", row["kind"].replace("_", "-"))
            table.add_row(*cells, f"{row['amount']:,.2f}", row["said"])
        self.out.print(table)


def _paid_submission(campaign: Campaign, word: str) -> Submission:
    """Return the submission with this receipt or assignment id.

    A receipt also finds work that the crowd never listed but that was paid.
    """
    compensated = Submission.objects.filter(campaign=campaign, payments__kind=Payment.Kind.COMPENSATION)
    return find_by_receipt(compensated, word) or submission_of(campaign, word)


def _refused_payment_rows(campaign: Campaign) -> list[dict[str, Any]]:
    return [
        {
            "submission": receipt_of(one.payment.submission),
            "worker": one.payment.submission.worker_id,
            "kind": one.payment.kind,
            "amount": float(one.payment.amount),
            "said": one.said,
        }
        for one in refused_payments(campaign)
    ]
