from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.services.operator import requesters


class Command(Base):
    help = "Revoke a key immediately. Safe to run twice."
    example = "python -m marketplace revoke_key PREFABCDEFGHIJKLMNOP"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("access_key")

    def act(self, **options: Any) -> dict[str, Any]:
        key = requesters.revoke_key(options["access_key"])
        return {"access_key": key.access_key, "requester": key.requester.name, "state": "revoked"}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"Key {result['access_key']} of {result['requester']} is revoked.")
