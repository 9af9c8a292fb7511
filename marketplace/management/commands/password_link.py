from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from marketplace.console import Command as Base
from marketplace.services.account import accounts, passwords


class Command(Base):
    help = "Print a one-time link that lets a worker set a new password. For marketplaces without e-mail."
    example = "python -m marketplace password_link ada"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name or worker id")

    def act(self, **options: Any) -> dict[str, Any]:
        worker = accounts.worker_by_name(options["name"])
        link = passwords.password_link(worker)
        return {"username": worker.username, "link": link, "hours": settings.PASSWORD_LINK_HOURS}

    def show(self, result: dict[str, Any]) -> None:
        """Print only the link, so that it can be piped."""
        self.stdout.write(result["link"])
