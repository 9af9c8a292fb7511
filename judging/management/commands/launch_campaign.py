from dataclasses import replace
from typing import Any

from config.background.followed_jobs import attend
from config.commands.console import CommandParser
from config.process import launcher
from judging.campaign.campaign_settings import RECOMMENDED, change_settings
from judging.campaign.screening_forecast import recommended_rule
from judging.jobs import ring_to_post_places
from judging.launch.check_results import check_row, strategy_rows
from judging.launch.launches import Launched, Terms, launch_campaign
from judging.management.amounts import dollars_option
from judging.management.campaign_command import CampaignCommand
from judging.management.check_lines import in_lines
from judging.models import Campaign, Place


def terms_arguments(parser: CommandParser) -> None:
    """Add the options that launch_campaign and pilot_campaign share."""
    parser.add_argument("--endpoint", help="the crowd's endpoint, if it is not the built-in marketplace")
    parser.add_argument(
        "--confirm-spend",
        metavar="AMOUNT",
        help="the spending limit in dollars with fees, at least the printed cost; required at an outside crowd "
        "(default: the rest of the budget; without a budget, the forecast cost with repeats; for a pilot, the cost)",
    )
    parser.add_argument(
        "--minimum-hourly",
        metavar="AMOUNT",
        help="refuse the launch if workers would earn less per hour; kept with the campaign",
    )
    parser.add_argument(
        "--accept-weak-screening",
        action="store_true",
        help="go ahead although tasks can be passed without reading, as the checks report",
    )


def terms(options: dict[str, Any]) -> Terms:
    """Parse the options of :func:`terms_arguments`. Raises UsageError for an invalid amount."""
    spend, least = options["confirm_spend"], options["minimum_hourly"]
    return Terms(
        endpoint=options["endpoint"],
        confirm_spend=dollars_option("--confirm-spend", spend) if spend else None,
        minimum_hourly=dollars_option("--minimum-hourly", least) if least else None,
        accept_weak_screening=options["accept_weak_screening"],
    )


def outcome(launched: Launched) -> dict[str, Any]:
    """Return the number of places, the cost, the passed checks and the strategies that they tried, for ``--json``."""
    return {
        "places": launched.places,
        "cost": float(launched.cost.total),
        "checks": [check_row(check) for check in launched.checks],
        "strategies": strategy_rows(launched.checks),
    }


def forecast_row(launched: Launched) -> dict[str, Any]:
    """Return the forecast of costs with repeats, exclusions and slips, for ``--json``."""
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


class Command(CampaignCommand):
    help = "Check that a campaign is ready, open it, and offer its tasks to the crowd."
    example = "manage.py launch_campaign spring --minimum-hourly 12"

    def arguments(self, parser: CommandParser) -> None:
        terms_arguments(parser)
        parser.add_argument(
            "--screen",
            choices=[*Campaign.Screen.values, RECOMMENDED],
            help="change the screening rule first; recommended uses the rule that the checks recommend. The consent "
            "text states the rule, so you must accept it again",
        )
        parser.add_argument(
            "--placeholder-text",
            action="store_true",
            help="show passages without text as placeholders, and let in simulated workers only",
        )

    def act_on(
        self, found: Campaign, *, placeholder_text: bool, screen: str | None, **options: Any
    ) -> dict[str, Any]:
        agreed = replace(terms(options), placeholder_text=placeholder_text)
        self._screen_by(found, screen)
        with launcher.crowd_running():
            launched = launch_campaign(
                found,
                **vars(agreed),
                who=self.who,
                tell=lambda check: self.note(in_lines(check)),
            )
            if launched.already:
                self.note(launched.already)
            job = ring_to_post_places(found)
            with self.progress("Offering places") as progress:
                attend(job, progress=progress)
        return {
            "campaign": found.name,
            "state": found.state,
            "endpoint": found.endpoint,
            **outcome(launched),
            **forecast_row(launched),
            # Count all places, because a job that took over from a killed one reports only its own.
            "posted": Place.objects.filter(posting__campaign=found).exclude(crowd_id="").count(),
        }

    def _screen_by(self, campaign: Campaign, rule: str | None) -> None:
        """Change the screening rule if ``rule`` is given. Otherwise, print the recommended rule if it differs."""
        if rule is not None:
            wanted = recommended_rule(campaign) if rule == RECOMMENDED else rule
            if wanted != campaign.screen:
                change_settings(campaign, {"screen": wanted}, who=self.who)
            return
        recommended = recommended_rule(campaign)
        if campaign.state in Campaign.BEFORE_LAUNCH and recommended != campaign.screen:
            self.note(
                f"Recommended screening rule for this campaign: {recommended} (now: {campaign.screen}). "
                "To use it, add --screen recommended before anybody works."
            )

    def show(self, result: dict[str, Any]) -> None:
        printed = {"checks", "strategies"}  # already printed when each check passed
        told = {key: value for key, value in result.items() if key not in printed}
        for name in ("cost", "cost_with_repeats", "cost_with_repeats_low", "cost_with_repeats_worst"):
            told[name] = "almost no task would count" if told[name] is None else f"${told[name]:,.2f}"
        for name in ("honest_excluded", "repeated", "slip_rate"):
            told[name] = f"{told[name]:.1%}"
        super().show(told)
