from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.services.operator import requesters
from marketplace.services.worker import letters


class Command(Base):
    help = "List workers' messages to one or all requesters, newest first. Answer with NotifyWorkers."
    example = "python -m marketplace letters lab"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("requester", nargs="?", help="only messages to this requester")
        parser.add_argument(
            "--most", type=int, default=100, metavar="N", help="maximum number of messages (default 100)"
        )

    def act(self, **options: Any) -> dict[str, Any]:
        name = options["requester"]
        rows = letters.written_to(requesters.requester_named(name) if name else None)
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
        for row in result["letters"]:
            head = (
                f"{row['written_at'][:16].replace('T', ' ')} UTC, {row['worker_id']} to {row['requester']}:"
            )
            self.stdout.write(f"{head}\n{row['text']}\n\n")
        if not result["letters"]:
            self.stdout.write("No messages.\n")
