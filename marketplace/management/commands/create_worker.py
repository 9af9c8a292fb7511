"""``python -m marketplace create_worker NAME``."""

from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from marketplace import clock
from marketplace.console import migrate_if_needed
from marketplace.errors import AccountRefused
from marketplace.forms import SignUpForm
from marketplace.services import accounts


class Command(BaseCommand):
    """Make one worker account with a password."""

    help = (
        "Make a worker account; the password is asked for, or read from standard input. "
        "Example: python -m marketplace create_worker ada --country GB"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Name and what else an account has."""
        parser.add_argument("name")
        parser.add_argument("--email", default="")
        parser.add_argument("--country", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it, by the same rules as the sign-up page."""
        migrate_if_needed()
        password = getpass.getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        form = SignUpForm(
            {
                "username": options["name"],
                "password": password,
                "email": options["email"],
                "country": options["country"],
            }
        )
        if not form.is_valid():
            raise CommandError(
                "; ".join(str(message) for messages in form.errors.values() for message in messages)
            )
        try:
            worker = accounts.create_worker(now=clock.now(), **form.cleaned_data)
        except AccountRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"{worker.username} {worker.worker_id}")
