import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.management.commands.serve import hand_out_key
from marketplace.management.commands.top_up import cents_argument
from marketplace.rules import money
from marketplace.services.account import accounts


class Command(Base):
    help = "Create a requester and print its key as JSON."
    example = "python -m marketplace create_requester lab --balance 500"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--balance", type=cents_argument, help="dollars (default: the opening balance)")
        parser.add_argument("--email", default="", help="address for messages from workers")
        parser.add_argument("--key-file", type=Path, help="write the key here instead of printing it")

    def act(self, **options: Any) -> dict[str, Any]:
        """Create the requester. A key that is written to a file is not printed."""
        opening = options["balance"]
        if opening is None:
            opening = money.cents(str(settings.OPENING_BALANCE))
        key = accounts.create_requester(
            options["name"], opening_cents=opening, now=clock.now(), email=options["email"]
        )
        return hand_out_key(key, options["key_file"])

    def show(self, result: dict[str, Any]) -> None:
        """Print the key in the format of a key file."""
        if "secret_key" in result:
            self.stdout.write(json.dumps(result))
