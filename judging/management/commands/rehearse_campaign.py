"""`manage.py rehearse_campaign`: a copy of a campaign, judged by simulated workers."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.background.attending import attend
from config.background.services import start
from config.console import Command as BaseCommand
from judging.jobs import close_places_key, post_places_key
from judging.management.commands.collect import collect_once
from judging.management.commands.simulate_workers import (
    simulation_arguments,
    simulation_settings,
    truth_named,
)
from judging.models import Campaign
from judging.services.campaigns import campaign_named
from judging.services.closing import close
from judging.services.launching import launch
from judging.services.rehearsing import keep_people_out, record_rehearsal, rehearsal_of
from judging.services.status import campaign_status
from judging.simulation import result_of, simulate


class Command(BaseCommand):
    help = (
        "Have simulated workers judge a copy of a campaign over the real pages, on places that people can "
        "neither see nor take. Afterwards the campaign is rehearsed; the copy is closed and kept."
    )
    example = (
        "manage.py rehearse_campaign first --workers 25 --careless 4 --truth grades --error 0.1 --seed 7"
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        simulation_arguments(parser)

    def act(self, *, campaign: str, truth: str, **options: Any) -> dict[str, Any]:
        settings = simulation_settings(options)
        found, who = campaign_named(campaign), getpass.getuser()
        qrel_set = truth_named(found, truth)
        copy = rehearsal_of(found, who=who)
        arguments = {"campaign_id": copy.pk}
        with (
            launcher.crowd_running(),
            launcher.judging_pages_running(),
            self.progress("Simulated workers judge") as progress,
        ):
            if copy.state == Campaign.State.DRAFT:
                keep_people_out(copy)
                launch(copy, who=who, tell=lambda check: self.note(f"  ✓ {check}"))
            attend(start("judging.post_places", key=post_places_key(copy), arguments=arguments))
            done = simulate(copy, qrel_set, settings, progress=progress)
            status = campaign_status(copy)
            close(copy, why="the rehearsal is over", who=who)
            attend(start("judging.close_places", key=close_places_key(copy), arguments=arguments))
            collect_once(copy, progress)
        record_rehearsal(found, copy, who=who)
        return {
            "campaign": found.name,
            "state": found.state,
            "rehearsal": copy.name,
            **result_of(done),
            "exclusions": status["exclusions"],
            "judgments": status["judgments"],
            "gold_failed": status["gold_failed"],
        }
