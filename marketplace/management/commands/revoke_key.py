"""``python -m marketplace revoke_key ACCESS_KEY``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.services import requesters


class Command(Base):
    """End a key."""

    help = "End a key at once. Safe to run twice."
    example = "python -m marketplace revoke_key PREFABCDEFGHIJKLMNOP"

    def arguments(self, parser: ArgumentParser) -> None:
        """Which."""
        parser.add_argument("access_key")

    def act(self, **options: Any) -> dict[str, Any]:
        """End it."""
        key = requesters.revoke_key(options["access_key"])
        return {"access_key": key.access_key, "requester": key.requester.name, "state": "revoked"}

    def show(self, result: dict[str, Any]) -> None:
        """Say so."""
        self.stdout.write(f"Key {result['access_key']} of {result['requester']} is revoked.")
