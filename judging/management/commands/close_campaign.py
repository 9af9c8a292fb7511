"""`manage.py close_campaign`."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.background.attending import attend
from config.background.services import start
from config.console import Command as BaseCommand
from judging.jobs import close_places_key
from judging.management.commands.collect import collect_once
from judging.models import Campaign
from judging.services.campaigns import campaign_named
from judging.services.closing import close, pending_work


class Command(BaseCommand):
    help = (
        "End a campaign: nothing is offered any more. "
        "It is closed by itself when nobody holds a task and everything is paid."
    )
    example = 'manage.py close_campaign first --why "holiday"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--why", default="", help="kept in the campaign's log")

    def act(self, *, campaign: str, why: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        launched = found.launched_at is not None
        close(found, why=why, who=getpass.getuser())
        if launched:
            job = start(
                "judging.close_places", key=close_places_key(found), arguments={"campaign_id": found.pk}
            )
            with launcher.crowd_running(), self.progress("Taking places off the crowd") as progress:
                attend(job, progress=progress)
                collect_once(found, progress)
            found.refresh_from_db()
        closing = found.state == Campaign.State.CLOSING
        waits_for = (pending_work(found).words() or "a last look") if closing else ""
        return {"campaign": found.name, "state": found.state, "waits_for": waits_for}

    def show(self, result: dict[str, Any]) -> None:
        super().show({key: value for key, value in result.items() if value})
