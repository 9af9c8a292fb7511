from argparse import ArgumentParser, ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.rules import money
from marketplace.services.account import accounts

_MOST = Decimal("1e12")


def cents_argument(word: str) -> int:
    """Convert a dollar amount of at least zero to cents."""
    try:
        amount = Decimal(word)
        if not 0 <= amount <= _MOST or amount * 100 != int(amount * 100):
            raise InvalidOperation
    except InvalidOperation:
        raise ArgumentTypeError(f"{word!r} is not an amount in dollars and cents") from None
    return int(amount * 100)


class Command(Base):
    help = "Add dollars to a requester's balance."
    example = "python -m marketplace top_up preferee 250.00"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("amount", type=cents_argument)
        parser.add_argument(
            "--reference",
            default="",
            help="reference of the transfer; a transfer with the same reference is added only once",
        )

    def act(self, **options: Any) -> dict[str, Any]:
        requester, added = accounts.add_funds(
            options["name"], options["amount"], clock.now(), reference=options["reference"][:100]
        )
        if not added:
            self.stderr.write(f"{options['reference']} was already added. Nothing was added now.")
        available = money.protocol_amount(requester.available_cents)
        return {"requester": requester.name, "added": added, "available": available}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['requester']}: ${result['available']} available.")
