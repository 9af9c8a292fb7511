"""`manage.py held_payments`: pay for work that our page never saw waits for a person, who decides here."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.errors import BadInput
from judging.management.amounts import dollars
from judging.services.campaigns import campaign_named
from judging.services.holding import HeldWork, held_work, pay_held
from judging.services.reconciling import receipt_of
from judging.services.rejecting import submission_of


class Command(BaseCommand):
    help = (
        "List pay that is held because our page never saw the work, or not all of it; with a submission and --pay or "
        "--amount, pay it: the next collection has the crowd do it. To refuse it: reject_assignment. What nobody "
        "decides, the crowd pays by itself at the time that is listed."
    )
    example = "manage.py held_payments first 412-X9KQ2T --pay"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("submission", nargs="?", help="its receipt, or its assignment id at the crowd")
        parser.add_argument("--pay", action="store_true", help="pay all that is held for it")
        parser.add_argument("--amount", help="pay this many dollars of it; needs --why")
        parser.add_argument("--why", default="", help="what was found; kept with the decision")

    def act(
        self,
        *,
        campaign: str,
        submission: str | None,
        pay: bool,
        amount: str | None,
        why: str,
        **options: Any,
    ) -> dict[str, Any]:
        found, result = campaign_named(campaign), {}
        deciding = pay or amount is not None
        if deciding != (submission is not None):
            raise BadInput(
                "Give a submission together with --pay or --amount.",
                f"manage.py held_payments {found.name} lists what is held.",
            )
        if submission is not None:
            part = dollars("--amount", amount) if amount is not None else None
            paid = pay_held(
                found, submission_of(found, submission), amount=part, why=why, who=getpass.getuser()
            )
            result = {"decided": float(paid)}
        return {"campaign": found.name, **result, "held": [_row(one) for one in held_work(found)]}

    def show(self, result: dict[str, Any]) -> None:
        if "decided" in result:
            said = f"${result['decided']:,.2f} will be paid by the next collection."
            self.out.print(said, markup=False)
        if not result["held"]:
            self.out.print(f"No pay of {result['campaign']} is held.", markup=False)
        for row in result["held"]:
            until = (
                f" The crowd pays the reward by itself at {row['pays_itself_at']}."
                if row["pays_itself_at"]
                else ""
            )
            line = f"{row['receipt']}: ${row['amount']:,.2f} for worker {row['worker']}. {row['why']}{until}"
            self.out.print(line, markup=False)


def _row(one: HeldWork) -> dict[str, Any]:
    at = one.pays_itself_at
    return one.as_dict() | {
        "receipt": receipt_of(one.submission),
        "amount": float(one.amount),
        "reward": float(one.reward),
        "pays_itself_at": at.isoformat(timespec="minutes") if at else None,
    }
