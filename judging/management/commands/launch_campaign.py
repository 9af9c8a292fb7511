"""`manage.py launch_campaign`: the check list, then the places."""

from __future__ import annotations

import getpass
from decimal import Decimal
from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.background.attending import attend
from config.background.services import start
from config.console import Command as BaseCommand
from judging.jobs import post_places_key
from judging.management.check_lines import in_lines
from judging.management.commands.create_campaign import dollars
from judging.models import Place
from judging.services.campaigns import campaign_named
from judging.services.launching import Launched, launch


def terms_arguments(parser: CommandParser) -> None:
    """The options of whatever offers places for the first time."""
    parser.add_argument("--endpoint", help="the crowd's endpoint, when it is not the built-in marketplace")
    parser.add_argument(
        "--confirm-spend",
        metavar="AMOUNT",
        help="the most that may be spent, in dollars with fees, at least the printed cost; an outside crowd asks for "
        "it (default: what the campaign's budget leaves, else the cost)",
    )
    parser.add_argument(
        "--minimum-hourly",
        metavar="AMOUNT",
        help="refuse when workers would earn less in an hour; kept with the campaign",
    )


def terms(endpoint: str | None, confirm_spend: str | None, minimum_hourly: str | None) -> dict[str, Any]:
    """What those options say; a usage error for what is no amount."""
    amounts: dict[str, Decimal | None] = {
        name: dollars(f"--{name.replace('_', '-')}", words) if words else None
        for name, words in {"confirm_spend": confirm_spend, "minimum_hourly": minimum_hourly}.items()
    }
    return {"endpoint": endpoint, **amounts}


def outcome(launched: Launched) -> dict[str, Any]:
    """What was offered, at what cost, and the checks that passed, for ``--json``."""
    return {
        "places": launched.places,
        "cost": float(launched.cost.total),
        "checks": [str(check) for check in launched.checks],
    }


def forecast(launched: Launched) -> dict[str, Any]:
    """What to expect of screening, for ``--json``."""
    seen = launched.outlook
    low, expected, worst = (None if one is None else float(one) for one in seen.costs(launched.cost.total))
    return {
        "cost_with_repeats": expected,
        "cost_with_repeats_low": low,
        "cost_with_repeats_worst": worst,
        "honest_excluded": round(seen.expected.excluded_share, 4),
        "repeated": round(seen.expected.repeated_share, 4),
        "slip_rate": round(seen.slips.expected, 4),
        "tasks_per_worker": seen.expected.tasks_per_worker,
    }


class Command(BaseCommand):
    help = "Check that a campaign is ready, open it, and offer its places to the crowd."
    example = "manage.py launch_campaign first --minimum-hourly 12"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        terms_arguments(parser)
        parser.add_argument(
            "--placeholder-text",
            action="store_true",
            help="show passages without text as placeholders: for simulated workers only, nobody else is let in",
        )

    def act(
        self,
        *,
        campaign: str,
        endpoint: str | None,
        confirm_spend: str | None,
        minimum_hourly: str | None,
        placeholder_text: bool,
        **options: Any,
    ) -> dict[str, Any]:
        agreed = terms(endpoint, confirm_spend, minimum_hourly)
        found = campaign_named(campaign)
        with launcher.crowd_running():
            launched = launch(
                found,
                **agreed,
                placeholder_text=placeholder_text,
                who=getpass.getuser(),
                tell=lambda check: self.note(in_lines(check)),
            )
            if launched.again:
                self.note(f"{found.name} was launched with this amount before: nothing changed.")
            job = start(
                "judging.post_places", key=post_places_key(found), arguments={"campaign_id": found.pk}
            )
            with self.progress("Offering places") as progress:
                attend(job, progress=progress)
        return {
            "campaign": found.name,
            "state": found.state,
            "endpoint": found.endpoint,
            **outcome(launched),
            **forecast(launched),
            # By whatever process: a job that was killed and taken over tells of its last stretch alone.
            "posted": Place.objects.filter(posting__campaign=found).exclude(crowd_id="").count(),
        }

    def show(self, result: dict[str, Any]) -> None:
        told = {
            key: value for key, value in result.items() if key != "checks"
        }  # they were told as they passed
        for name in ("cost", "cost_with_repeats", "cost_with_repeats_low", "cost_with_repeats_worst"):
            told[name] = "hardly a task would count" if told[name] is None else f"${told[name]:,.2f}"
        for name in ("honest_excluded", "repeated", "slip_rate"):
            told[name] = f"{told[name]:.1%}"
        super().show(told)
