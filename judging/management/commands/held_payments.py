from typing import Any

from config.commands.console import CommandParser
from judging.errors import BadInput
from judging.management.amounts import dollars_option
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money.discrepancies import receipt_of
from judging.money.held_pay import HeldWork, held_work, pay_held
from judging.money.rejections import submission_of


class Command(CampaignCommand):
    help = (
        "List pay that is held until a person decides, each with the reason. With a submission and --pay or "
        "--amount, pay it at the next collection; to refuse it, use reject_assignment. If the crowd pays a reward "
        "automatically, or work without a judged pair will be rejected, the list shows when."
    )
    example = "manage.py held_payments spring 412-X9KQ2T --pay"
    why = "the reason; kept with the decision"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", nargs="?", help="its receipt, or its assignment id at the crowd")
        parser.add_argument("--pay", action="store_true", help="pay all that is held for it")
        parser.add_argument("--amount", help="pay this many dollars of it; needs --why")

    def act_on(
        self,
        found: Campaign,
        *,
        submission: str | None,
        pay: bool,
        amount: str | None,
        why: str,
        **options: Any,
    ) -> dict[str, Any]:
        result = {}
        deciding = pay or amount is not None
        if deciding != (submission is not None):
            raise BadInput(
                "Pass a submission together with --pay or --amount.",
                f"manage.py held_payments {found.name} lists held pay.",
            )
        if submission is not None:
            part = dollars_option("--amount", amount) if amount is not None else None
            paid = pay_held(found, submission_of(found, submission), amount=part, why=why, who=self.who)
            result = {"decided": float(paid)}
        return {"campaign": found.name, **result, "held": [_held_pay_row(one) for one in held_work(found)]}

    def show(self, result: dict[str, Any]) -> None:
        if "decided" in result:
            said = f"${result['decided']:,.2f} will be paid by the next collection."
            self.out.print(said, markup=False)
        if not result["held"]:
            self.out.print(f"No pay is held in {result['campaign']}.", markup=False)
        for row in result["held"]:
            until = ""
            if row["pays_itself_at"]:
                until = f" The crowd pays the reward automatically at {row['pays_itself_at']}."
            elif row["rejects_itself_at"]:
                until = f" It will be rejected at {row['rejects_itself_at']}."
            line = f"{row['receipt']}: ${row['amount']:,.2f} for worker {row['worker']}. {row['why']}{until}"
            self.out.print(line, markup=False)


def _held_pay_row(one: HeldWork) -> dict[str, Any]:
    times = {"pays_itself_at": one.pays_itself_at, "rejects_itself_at": one.rejects_itself_at}
    return one.as_dict() | {
        "receipt": receipt_of(one.submission),
        "amount": float(one.amount),
        "reward": float(one.reward),
        **{name: at.isoformat(timespec="minutes") if at else None for name, at in times.items()},
    }
