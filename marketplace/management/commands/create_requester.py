"""``python -m marketplace create_requester NAME``."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from marketplace import clock
from marketplace.console import migrate_if_needed
from marketplace.errors import AccountRefused
from marketplace.management.commands.serve import write_key_file
from marketplace.management.commands.top_up import cents_argument
from marketplace.services import accounts


class Command(BaseCommand):
    """Make a requester with a balance and a key."""

    help = (
        "Make a requester and print its key as JSON. "
        "Example: python -m marketplace create_requester lab --balance 500"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Name, balance, key file."""
        parser.add_argument("name")
        parser.add_argument("--balance", type=cents_argument, help="dollars (default: the opening balance)")
        parser.add_argument("--key-file", type=Path, help="write the key here instead of printing it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it."""
        migrate_if_needed()
        opening = options["balance"]
        if opening is None:
            opening = int(Decimal(settings.OPENING_BALANCE) * 100)
        try:
            key = accounts.create_requester(options["name"], opening_cents=opening, now=clock.now())
        except AccountRefused as refusal:
            raise CommandError(str(refusal)) from None
        if options["key_file"]:
            write_key_file(options["key_file"], key)
            return
        document = {
            "access_key": key.access_key,
            "secret_key": key.secret_key,
            "endpoint": settings.PUBLIC_URL,
        }
        self.stdout.write(json.dumps(document))
