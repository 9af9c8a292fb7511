"""`manage.py suspend_gold`: suspend a bad gold pair."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from judging.campaign.campaigns import campaign_named
from judging.errors import BadInput
from judging.people.gold_suspension import suspend_gold_pair


class Command(BaseCommand):
    help = (
        "Suspend a gold pair: no task gets it, and workers excluded only because of it are reinstated. Their work "
        "counts again unless somebody has repeated it. Collections suspend a gold pair automatically if workers who "
        "pass all others fail it."
    )
    example = 'manage.py suspend_gold spring 17 --why "the off-topic passage answers the question too"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("gold_pair", type=int, help="its number (see campaign_status)")
        parser.add_argument("--why", required=True, help="the reason; kept with the decision")

    def act(self, *, campaign: str, gold_pair: int, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        gold = found.gold_pairs.filter(pk=gold_pair).first()
        if gold is None:
            raise BadInput(f"{found.name} has no gold pair {gold_pair}.")
        done = suspend_gold_pair(found, gold, why=why, who=getpass.getuser())
        return {
            "campaign": found.name,
            "gold_pair": done.gold_pair,
            "reinstated": done.reinstated,
            "reopened": done.reopened,
        }
