"""`manage.py raise_budget`: let a campaign spend more."""

from __future__ import annotations

import getpass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.console import Command as BaseCommand
from config.console import UsageError
from judging.management.commands.collect import collect_once
from judging.models import Campaign
from judging.services.budget import cap_of, raise_budget
from judging.services.campaigns import campaign_named
from judging.services.payments import money


class Command(BaseCommand):
    help = "Set what a campaign may commit, fees included; what waited for money is offered at once."
    example = 'manage.py raise_budget first 600 --why "repeats"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("amount", help="dollars, fees included")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, amount: str, why: str, **options: Any) -> dict[str, Any]:
        try:
            dollars = Decimal(amount)
        except InvalidOperation:
            raise UsageError(f"{amount!r} is not an amount in dollars.") from None
        found = campaign_named(campaign)
        raise_budget(found, dollars, why=why, who=getpass.getuser())
        if found.state == Campaign.State.OPEN:
            with launcher.crowd_running(), self.progress("Offering what waited") as progress:
                collect_once(found, progress)
        return {
            "campaign": found.name,
            "budget": float(cap_of(found) or 0),
            "committed": float(money(found)["committed"]),
        }
