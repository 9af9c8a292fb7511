"""`manage.py watchdog`: what has not moved within its time, and why."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from judging.services.campaigns import campaign_named
from judging.services.watchdog import Stalled, stalled, watched_campaigns


class Command(BaseCommand):
    help = (
        "Name every job and place, task and payment that has not moved within its time, since when, and why."
    )
    example = "manage.py watchdog first"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", nargs="?", help="(default every campaign that is under way)")

    def act(self, *, campaign: str | None, **options: Any) -> dict[str, Any]:
        campaigns = [campaign_named(campaign)] if campaign else watched_campaigns()
        self.found: dict[str, list[Stalled]] = {one.name: stalled(one) for one in campaigns}
        return {name: [one.as_dict() for one in found] for name, found in self.found.items()}

    def show(self, result: dict[str, Any]) -> None:
        """A line for each thing that stands still, or that everything moves."""
        for name, found in self.found.items():
            for one in found:
                self.out.print(f"{name}: {one.words()}", markup=False)
            if not found:
                self.out.print(f"{name}: everything moves", markup=False)
        if not result:
            self.out.print("No campaign is under way.")
