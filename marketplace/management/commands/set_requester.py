from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.services.operator import requesters


class Command(Base):
    help = "Set the e-mail address for workers' messages. An empty address turns e-mail off."
    example = "python -m marketplace set_requester lab --email lab@example.org"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--email", required=True, metavar="ADDRESS")

    def act(self, **options: Any) -> dict[str, Any]:
        row = requesters.set_email(options["name"], options["email"])
        return {"name": row.name, "email": row.email}

    def show(self, result: dict[str, Any]) -> None:
        to = f"are mailed to {result['email']}" if result["email"] else "are not mailed; `letters` lists them"
        self.stdout.write(f"Messages from workers to {result['name']} {to}.\n")
