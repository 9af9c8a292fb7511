"""`manage.py launch_campaign`: the check list, then the places."""

from __future__ import annotations

import getpass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.background.attending import attend
from config.background.services import start
from config.console import Command as BaseCommand
from config.console import UsageError
from judging.jobs import post_places_key
from judging.services.campaigns import campaign_named
from judging.services.cost import quote_tasks
from judging.services.launching import launch


class Command(BaseCommand):
    help = "Check that a campaign is ready, open it, and offer its places to the crowd."
    example = "manage.py launch_campaign first"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "--endpoint", help="the crowd's endpoint, when it is not the built-in marketplace"
        )
        parser.add_argument(
            "--confirm-spend", metavar="AMOUNT", help="dollars, at least as many as the printed cost"
        )

    def act(
        self, *, campaign: str, endpoint: str | None, confirm_spend: str | None, **options: Any
    ) -> dict[str, Any]:
        try:
            confirmed = Decimal(confirm_spend) if confirm_spend else None
        except InvalidOperation:
            raise UsageError(f"--confirm-spend {confirm_spend!r} is not an amount in dollars.") from None
        found = campaign_named(campaign)
        cost = quote_tasks(found, found.tasks.count())
        self.note(
            f"{cost.tasks} tasks cost ${cost.total:.2f} (rewards ${cost.reward:.2f}, fees ${cost.fee:.2f}); "
            "tasks of excluded workers are paid and repeated on top."
        )
        with launcher.crowd_running():
            launched = launch(found, endpoint=endpoint, confirm_spend=confirmed, who=getpass.getuser())
            for check in launched.checks:
                self.note(f"  ✓ {check}")
            job = start(
                "judging.post_places", key=post_places_key(found), arguments={"campaign_id": found.pk}
            )
            with self.progress("Offering places") as progress:
                job = attend(job, progress=progress)
        return {
            "campaign": found.name,
            "state": found.state,
            "endpoint": found.endpoint,
            "places": launched.places,
            "posted": (job.result or {}).get("posted", 0),
            "cost": float(cost.total),
            "checks": launched.checks,
        }
