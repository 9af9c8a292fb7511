"""``python -m marketplace set_requester NAME``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.services import requesters


class Command(Base):
    """Change where a requester is written to."""

    help = "Set the address to which what workers write is mailed; empty for none."
    example = "python -m marketplace set_requester lab --email lab@example.org"

    def arguments(self, parser: ArgumentParser) -> None:
        """Whose, and which."""
        parser.add_argument("name")
        parser.add_argument("--email", required=True, metavar="ADDRESS")

    def act(self, **options: Any) -> dict[str, Any]:
        """Set it."""
        row = requesters.set_email(options["name"], options["email"])
        return {"name": row.name, "email": row.email}

    def show(self, result: dict[str, Any]) -> None:
        """What holds now."""
        to = f"is mailed to {result['email']}" if result["email"] else "is mailed nowhere; `letters` lists it"
        self.stdout.write(f"What workers write to {result['name']} {to}.\n")
