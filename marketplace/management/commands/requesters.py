from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.rules import money
from marketplace.services.operator import requesters


class Command(Base):
    help = "List every requester: available balance, amount held for open tasks, number of valid keys."
    example = "python -m marketplace requesters"
    listed, columns = "requesters", ("name", "available", "on_hold", "valid_keys")

    def act(self, **options: Any) -> dict[str, Any]:
        return {
            "requesters": [
                {
                    "name": row.name,
                    "available": money.protocol_amount(row.available_cents),
                    "on_hold": money.protocol_amount(row.held_cents),
                    "valid_keys": row.valid_keys,
                    "created_at": row.created_at.isoformat(),
                }
                for row in requesters.all_requesters(clock.now())
            ]
        }
