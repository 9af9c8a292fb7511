from typing import Any

from config.commands.console import CommandParser, UsageError
from config.process import launcher
from judging.campaign.screening_forecast import slips_of
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.rules.slips import percent_text
from judging.simulation.rehearsals import truth_named
from judging.simulation.simulated_workers import SimulationSettings, simulate_workers, simulation_result


def simulation_arguments(parser: CommandParser) -> None:
    """Add the options that describe the simulated workers."""
    parser.add_argument("--workers", type=int, default=25, help="number of workers (default 25)")
    parser.add_argument(
        "--careless", type=int, default=0, help="number of workers who answer at random (default 0)"
    )
    parser.add_argument(
        "--truth", required=True, metavar="SET", help="the qrel set whose grades the workers follow"
    )
    parser.add_argument(
        "--error",
        type=float,
        default=0.1,
        help="probability of a wrong answer, or of a grade that is one too low (default 0.1)",
    )
    parser.add_argument(
        "--gold-error",
        type=float,
        help="probability of a wrong answer on an obvious pair, or of a grade on the wrong side of the lowest "
        "relevant grade (default: the slip rate in the campaign's forecast)",
    )
    parser.add_argument("--seed", type=int, default=1)


def simulation_settings(options: dict[str, Any], campaign: Campaign) -> SimulationSettings:
    """Parse the options. The default slip rate is the forecast's. Raises UsageError if an option is invalid."""
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
    """Return sentences that compare honest simulated workers with the workers whom the forecast assumes."""
    slips, rate = slips_of(campaign), f"{percent_text(settings.gold_error)}%"
    missed = (
        f"give {rate} of passages a grade on the wrong side of the lowest relevant grade"
        if campaign.grades
        else f"miss {rate} of obvious pairs"
    )
    return (
        f"Honest simulated workers {missed}; the forecast expects "
        f"{slips.expected_words} ({slips.source}). They take tasks until none is left; the forecast assumes that "
        "half of the people do only one."
    )


class Command(CampaignCommand):
    help = (
        "Have simulated workers judge a launched campaign on the real pages until every task is done. "
        "All results say that the judges were simulated."
    )
    example = (
        "manage.py simulate_workers spring --workers 25 --careless 4 --truth grades --error 0.1 --seed 7"
    )

    def arguments(self, parser: CommandParser) -> None:
        simulation_arguments(parser)

    def act_on(self, found: Campaign, *, truth: str, **options: Any) -> dict[str, Any]:
        qrel_set = truth_named(found, truth)
        settings = simulation_settings(options, found)
        self.note(slips_told(settings, found))
        with (
            launcher.crowd_running(),
            launcher.judging_pages_running(),
            self.progress("Simulated workers judge") as progress,
        ):
            return simulation_result(simulate_workers(found, qrel_set, settings, progress=progress))
