"""``python -m marketplace letters``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.services import letters, requesters


class Command(Base):
    """List what workers wrote to requesters."""

    help = "List what workers wrote to a requester, the newest first; answer with NotifyWorkers."
    example = "python -m marketplace letters lab"

    def arguments(self, parser: ArgumentParser) -> None:
        """Whose, and how many."""
        parser.add_argument("requester", nargs="?", help="only those to this requester")
        parser.add_argument("--most", type=int, default=100, metavar="N", help="how many (default 100)")

    def act(self, **options: Any) -> dict[str, Any]:
        """Read them."""
        name = options["requester"]
        rows = letters.written_to(requesters.find(name) if name else None)
        return {
            "letters": [
                {
                    "requester": row.requester.name,
                    "worker_id": row.worker.worker_id,
                    "written_at": row.written_at.isoformat(),
                    "text": row.text,
                }
                for row in rows[: max(1, options["most"])]
            ]
        }

    def show(self, result: dict[str, Any]) -> None:
        """One after the other."""
        for row in result["letters"]:
            head = (
                f"{row['written_at'][:16].replace('T', ' ')} UTC, {row['worker_id']} to {row['requester']}:"
            )
            self.stdout.write(f"{head}\n{row['text']}\n\n")
        if not result["letters"]:
            self.stdout.write("Nobody has written.\n")
