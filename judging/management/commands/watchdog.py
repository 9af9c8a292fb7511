from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from judging.campaign.campaigns import campaign_named
from judging.watching.watchdog import Stalled, stalled_work, watched_campaigns


class Command(BaseCommand):
    help = "List every stalled job, place, task and payment, with the reason and the time when it stalled."
    example = "manage.py watchdog spring"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", nargs="?", help="the campaign (default: all running campaigns)")

    def act(self, *, campaign: str | None, **options: Any) -> dict[str, Any]:
        campaigns = [campaign_named(campaign)] if campaign else watched_campaigns()
        self.found: dict[str, list[Stalled]] = {one.name: stalled_work(one) for one in campaigns}
        return {name: [one.as_dict() for one in found] for name, found in self.found.items()}

    def show(self, result: dict[str, Any]) -> None:
        for name, found in self.found.items():
            for one in found:
                self.out.print(f"{name}: {one.words()}", markup=False)
            if not found:
                self.out.print(f"{name}: nothing is stalled", markup=False)
        if not result:
            self.out.print("No campaign is running.")
