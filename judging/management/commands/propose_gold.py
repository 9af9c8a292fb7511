"""`manage.py propose_gold`: suggest test pairs that a person then looks at."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.models import GoldPair
from judging.services.campaigns import campaign_named
from judging.services.gold import needed_gold
from judging.services.gold_proposals import labels_too_sparse, propose_gold


class Command(BaseCommand):
    help = (
        "Propose gold pairs: a known relevant passage against one that does not answer the question, "
        "chosen so that together they look like the campaign's other pairs."
    )
    example = "manage.py propose_gold first --qrels graded"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "--qrels",
            default="",
            metavar="SET",
            help="labels that answers are known from; graded ones give the best pairs (default: the pool's)",
        )

    def act(self, *, campaign: str, qrels: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        proposed = propose_gold(found, qrels=qrels)
        waiting = found.gold_pairs.filter(state=GoldPair.State.PROPOSED).count()
        accepted = found.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
        needed = needed_gold(found)
        if waiting + accepted < needed:
            self.note(
                f"Only {waiting + accepted} distinct gold pairs can be had here and {needed} are needed. "
                "Lower --max-tasks-per-worker or bring more along with --gold FILE."
            )
        if sparse := labels_too_sparse(found):
            self.note(f"{sparse[0].upper()}{sparse[1:]}.")
        hard = found.gold_pairs.filter(kind=GoldPair.Kind.HARD).exclude(state=GoldPair.State.DROPPED).count()
        return {
            "proposed": proposed,
            "hard": hard,
            "waiting": waiting,
            "accepted": accepted,
            "needed": needed,
        }
