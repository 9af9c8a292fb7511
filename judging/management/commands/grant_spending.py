from datetime import date
from typing import Any

from accounts.services.user_lookup import person_named
from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from judging.management.amounts import dollars_option
from pooling.collections.lookups import collection_named
from pooling.collections.spending_grants import change_grant, grant_named, grant_spending


class Command(BaseCommand):
    help = (
        "Let a person or a collection spend an amount of the installation's crowd money until a given day. "
        "Administrators and the terminal need no grant."
    )
    example = "manage.py grant_spending 500 --person mia --until 2027-03-31"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("amount", help="dollars, fees included")
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--person", metavar="NAME", help="the account that can spend it")
        whom.add_argument("--collection", metavar="NAME", help="the collection whose campaigns it pays for")
        whom.add_argument(
            "--change", type=int, metavar="NUMBER", help="change this grant to this amount and day"
        )
        parser.add_argument(
            "--until", required=True, metavar="DAY", help="the last day (UTC), such as 2027-03-31"
        )
        parser.add_argument("--note", default="", help="a note for people who see the grant")

    def act(
        self,
        *,
        amount: str,
        person: str | None,
        collection: str | None,
        change: int | None,
        until: str,
        note: str,
        **options: Any,
    ) -> dict[str, Any]:
        try:
            last_day = date.fromisoformat(until)
        except ValueError:
            raise UsageError(f"--until {until!r} is not a day such as 2027-03-31.") from None
        terms: dict[str, Any] = {
            "amount": dollars_option("amount", amount),
            "last_day": last_day,
            "who": self.who,
        }
        if change is not None:
            change_grant(made := grant_named(change), **terms)
        else:
            made = grant_spending(
                person=person_named(person) if person else None,
                collection=collection_named(collection) if collection else None,
                note=note,
                **terms,
            )
        return {"grant": made.pk, "for": made.to, "amount": float(made.amount), "until": str(made.last_day)}
