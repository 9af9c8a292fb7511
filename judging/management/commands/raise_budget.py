"""`manage.py raise_budget`: let a campaign spend more."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command as BaseCommand
from config.process import launcher
from judging.campaign.campaigns import campaign_named
from judging.campaign.cost import money
from judging.management.amounts import dollars_option
from judging.management.commands.collect import collect_once
from judging.models import Campaign
from judging.money.budget import cap_of, raise_budget


class Command(BaseCommand):
    help = "Set a campaign's budget, fees included. Tasks that waited for money are offered at once."
    example = 'manage.py raise_budget spring 600 --why "repeats"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("amount", help="dollars, fees included")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, amount: str, why: str, **options: Any) -> dict[str, Any]:
        most = dollars_option("amount", amount)
        found = campaign_named(campaign)
        raise_budget(found, most, why=why, who=getpass.getuser())
        if found.state in Campaign.OFFERING:
            with launcher.crowd_running(), self.progress("Offering places") as progress:
                collect_once(found, progress)
        return {
            "campaign": found.name,
            "budget": float(cap_of(found) or 0),
            "committed": float(money(found)["committed"]),
        }
