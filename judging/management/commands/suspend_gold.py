"""`manage.py suspend_gold`: a gold pair that turned out to be a bad one."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.errors import BadInput
from judging.services.campaigns import campaign_named
from judging.services.suspending import suspend


class Command(BaseCommand):
    help = (
        "Let a gold pair say nothing any more: no task gets it, workers excluded for it alone are reinstated, "
        "and their work counts again where nobody repeated it. Collections do so by themselves for a gold pair that "
        "people who pass all others fail."
    )
    example = 'manage.py suspend_gold first 17 --why "the off-topic passage answers the question too"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("gold_pair", type=int, help="its number, as campaign_status shows it")
        parser.add_argument("--why", required=True, help="the reason; kept with the decision")

    def act(self, *, campaign: str, gold_pair: int, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        gold = found.gold_pairs.filter(pk=gold_pair).first()
        if gold is None:
            raise BadInput(f"{found.name} has no gold pair {gold_pair}.")
        done = suspend(found, gold, why=why, who=getpass.getuser())
        return {
            "campaign": found.name,
            "gold_pair": done.gold_pair,
            "reinstated": done.reinstated,
            "reopened": done.reopened,
        }
