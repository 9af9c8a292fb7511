"""``python -m marketplace password_link NAME``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from marketplace.console import Command as Base
from marketplace.services import accounts, passwords


class Command(Base):
    """A link that sets a worker's password."""

    help = "Print a link with which a worker sets a new password, once. For marketplaces without e-mail."
    example = "python -m marketplace password_link ada"

    def arguments(self, parser: ArgumentParser) -> None:
        """Whose."""
        parser.add_argument("name", help="name or worker id")

    def act(self, **options: Any) -> dict[str, Any]:
        """Make it."""
        worker = accounts.find_worker(options["name"])
        link = passwords.link_for(worker)
        return {"username": worker.username, "link": link, "hours": settings.PASSWORD_LINK_HOURS}

    def show(self, result: dict[str, Any]) -> None:
        """The link alone, so that it can be piped."""
        self.stdout.write(result["link"])
