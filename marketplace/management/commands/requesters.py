"""``python -m marketplace requesters``."""

from __future__ import annotations

from typing import Any

from marketplace import clock, money
from marketplace.console import Command as Base
from marketplace.services import requesters


class Command(Base):
    """List requesters."""

    help = "List every requester: what is available, what is held for open tasks, how many keys work."
    example = "python -m marketplace requesters"

    def act(self, **options: Any) -> dict[str, Any]:
        """Read them."""
        return {
            "requesters": [
                {
                    "name": row.name,
                    "available": money.dollars(row.available_cents),
                    "on_hold": money.dollars(row.held_cents),
                    "valid_keys": row.valid_keys,
                    "created_at": row.created_at.isoformat(),
                }
                for row in requesters.listed(clock.now())
            ]
        }

    def show(self, result: dict[str, Any]) -> None:
        """A table."""
        head = ("name", "available", "on_hold", "valid_keys")
        self.table(head, ([row[name] for name in head] for row in result["requesters"]))
