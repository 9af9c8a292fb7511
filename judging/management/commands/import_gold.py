"""`manage.py import_gold`: test pairs of one's own for a campaign that is not launched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from config.console import UsageError
from judging.models import GoldPair
from judging.services.campaigns import campaign_named
from judging.services.gold import import_gold, needed_gold
from judging.services.preparing import check_changeable


class Command(BaseCommand):
    help = "Bring accepted test pairs into a draft: a line each, qid relevant-pid off-topic-pid [kind]."
    example = "manage.py import_gold first gold.txt"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help="a line each: qid relevant-pid off-topic-pid [kind], where kind is easy or hard",
        )

    def act(self, *, campaign: str, file: Path, **options: Any) -> dict[str, Any]:
        if not file.is_file():
            raise UsageError(f"There is no file {file}.")
        found = campaign_named(campaign)
        check_changeable(found)
        brought = import_gold(found, file)
        accepted = found.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
        return {"brought": brought, "accepted": accepted, "needed": needed_gold(found)}
