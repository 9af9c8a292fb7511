"""``python -m marketplace revoke_invitation NUMBER``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services import invitations


class Command(Base):
    """Withdraw an invitation."""

    help = "Withdraw an invitation that was not used. Safe to run twice."
    example = "python -m marketplace revoke_invitation 12"

    def arguments(self, parser: ArgumentParser) -> None:
        """Which."""
        parser.add_argument("number", type=int, help="as `invitations` lists it")

    def act(self, **options: Any) -> dict[str, Any]:
        """Withdraw it."""
        row = invitations.revoke(options["number"], clock.now())
        return {"invitation": row.pk, "state": row.state(clock.now())}

    def show(self, result: dict[str, Any]) -> None:
        """Say so."""
        self.stdout.write(f"Invitation {result['invitation']} is {result['state']}.")
