import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.forms import SignUpForm
from marketplace.services.account import accounts


class Command(Base):
    help = "Create a worker account. Its password is prompted for or read from standard input."
    example = "python -m marketplace create_worker ada --country GB"

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the name and the other account options."""
        parser.add_argument("name")
        parser.add_argument("--email", default="")
        parser.add_argument("--country", default="")

    def act(self, **options: Any) -> dict[str, Any]:
        """Create the account under the same rules as the sign-up page."""
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
        worker = accounts.create_worker(now=clock.now(), country_by_operator=True, **form.cleaned_data)
        return {"username": worker.username, "worker_id": worker.worker_id}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['username']} {result['worker_id']}")
