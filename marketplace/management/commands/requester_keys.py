from argparse import ArgumentParser
from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services.operator import requesters


class Command(Base):
    help = "List the keys of a requester, without their secrets."
    example = "python -m marketplace requester_keys lab"
    listed, columns = "keys", ("access_key", "state", "created_at", "expires_at")

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")

    def act(self, **options: Any) -> dict[str, Any]:
        now = clock.now()
        rows = requesters.requester_keys(requesters.requester_named(options["name"]))
        return {
            "keys": [
                {
                    "access_key": row.access_key,
                    "state": row.state(now),
                    "created_at": row.created_at.isoformat(),
                    "expires_at": row.expires_at.isoformat() if row.expires_at else "",
                }
                for row in rows
            ]
        }
