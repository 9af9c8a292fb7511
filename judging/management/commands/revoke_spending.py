from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.spending_grants import grant_named, revoke_grant


class Command(BaseCommand):
    help = "Revoke a spending grant: nothing more can be reserved from it. Campaigns keep their reservations."
    example = "manage.py revoke_spending 3"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("grant", type=int, help="number shown by manage.py spending_grants")

    def act(self, *, grant: int, **options: Any) -> dict[str, Any]:
        found = grant_named(grant)
        revoke_grant(found, who=self.who)
        return {"grant": found.pk, "for": found.to, "revoked_at": found.revoked_at}
