"""`manage.py simulate_workers`: a rehearsal with simulated people."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config import launcher
from config.console import Command as BaseCommand
from config.console import UsageError
from judging.models import Campaign
from judging.rehearsal import truth_named
from judging.services.campaigns import campaign_named
from judging.services.expecting import slips_of
from judging.simulation import SimulationSettings, result_of, simulate
from judging.slips import percent


def simulation_arguments(parser: CommandParser) -> None:
    """Who judges, and how well."""
    parser.add_argument("--workers", type=int, default=25, help="how many sign up (default 25)")
    parser.add_argument(
        "--careless", type=int, default=0, help="how many of them answer at random (default 0)"
    )
    parser.add_argument("--truth", required=True, metavar="SET", help="the qrel set whose grades they follow")
    parser.add_argument(
        "--error", type=float, default=0.1, help="chance of answering against it (default 0.1)"
    )
    parser.add_argument(
        "--gold-error",
        type=float,
        help="the same on obvious pairs (default: as often as the campaign's forecast takes honest workers to slip)",
    )
    parser.add_argument("--seed", type=int, default=1)


def simulation_settings(options: dict[str, Any], campaign: Campaign) -> SimulationSettings:
    """Read the settings asked for; a wrong one is wrong usage. Slips nobody named are those of the forecast."""
    if options["gold_error"] is None:
        options["gold_error"] = round(slips_of(campaign).expected, 4)
    if not 0 <= options["careless"] <= options["workers"] or options["workers"] < 1:
        raise UsageError("--workers must be at least 1, and --careless between 0 and --workers.")
    for name in ("error", "gold_error"):
        if not 0 <= options[name] <= 1:
            raise UsageError(f"--{name.replace('_', '-')} must be between 0 and 1.")
    names = ("workers", "careless", "error", "gold_error", "seed")
    return SimulationSettings(**{name: options[name] for name in names})


def slips_told(settings: SimulationSettings, campaign: Campaign) -> str:
    """Say how often simulated honest workers slip, and what the forecast goes by."""
    slips = slips_of(campaign)
    return (
        f"Honest simulated workers miss {percent(settings.gold_error)}% of obvious pairs; the forecast goes by "
        f"{slips.expected_words} ({slips.source})."
    )


class Command(BaseCommand):
    help = (
        "Have simulated workers judge a launched campaign over the real pages, until every pair is judged. "
        "Everything that comes of it says that its judges were simulated."
    )
    example = "manage.py simulate_workers first --workers 25 --careless 4 --truth grades --error 0.1 --seed 7"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        simulation_arguments(parser)

    def act(self, *, campaign: str, truth: str, **options: Any) -> dict[str, Any]:
        found = campaign_named(campaign)
        qrel_set = truth_named(found, truth)
        settings = simulation_settings(options, found)
        self.note(slips_told(settings, found))
        with (
            launcher.crowd_running(),
            launcher.judging_pages_running(),
            self.progress("Simulated workers judge") as progress,
        ):
            return result_of(simulate(found, qrel_set, settings, progress=progress))
