from argparse import ArgumentParser
from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services.account import invitations


class Command(Base):
    help = "Withdraw an unused invitation. Safe to run twice."
    example = "python -m marketplace revoke_invitation 12"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("number", type=int, help="number shown by `invitations`")

    def act(self, **options: Any) -> dict[str, Any]:
        row = invitations.revoke_invitation(options["number"], clock.now())
        return {"invitation": row.pk, "state": row.state(clock.now())}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"Invitation {result['invitation']} is {result['state']}.")
