"""`manage.py propose_gold`: suggest test pairs that a person then looks at."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.models import GoldPair
from judging.services.campaigns import campaign_named
from judging.services.gold import needed_gold, propose_gold


class Command(BaseCommand):
    help = (
        "Propose gold pairs: a known relevant passage against one of another query with little word overlap."
    )
    example = "manage.py propose_gold first"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")

    def act(self, *, campaign: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        proposed = propose_gold(found)
        waiting = found.gold_pairs.filter(state=GoldPair.State.PROPOSED).count()
        accepted = found.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
        needed = needed_gold(found)
        if waiting + accepted < needed:
            self.note(
                f"Only {waiting + accepted} distinct gold pairs can be had here and {needed} are needed. "
                "Lower --max-tasks-per-worker or bring more along with --gold FILE."
            )
        return {"proposed": proposed, "waiting": waiting, "accepted": accepted, "needed": needed}
