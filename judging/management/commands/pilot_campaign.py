import time
from typing import Any

from config.background.followed_jobs import attend
from config.commands.console import CommandParser, UsageError
from config.process import launcher
from judging.errors import CampaignRefused
from judging.jobs import ring_to_post_places
from judging.launch.launches import Launched, Terms
from judging.launch.pilot_report import pilot_report
from judging.launch.pilots import pilot_campaign
from judging.management.campaign_command import CampaignCommand, collect_once
from judging.management.check_lines import in_lines
from judging.management.commands.launch_campaign import outcome, terms, terms_arguments
from judging.models import Campaign

POLL_SECONDS = 5


class Command(CampaignCommand):
    help = (
        "Offer a few tasks of a campaign before the full launch. The pilot ends when they are submitted, and reports "
        "median time, hourly pay, results of each gold pair, and comments. Without --tasks, show the last pilot."
    )
    example = "manage.py pilot_campaign spring --tasks 10 --minimum-hourly 12"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tasks", type=int, metavar="N", help="how many tasks the pilot offers")
        parser.add_argument(
            "--count",
            action="store_true",
            help="count the pilot's judgments (otherwise, others repeat its tasks)",
        )
        parser.add_argument(
            "--wait", action="store_true", help="keep collecting until the pilot ends (Ctrl-C stops)"
        )
        terms_arguments(parser)

    def act_on(
        self, found: Campaign, *, tasks: int | None, count: bool, wait: bool, **options: Any
    ) -> dict[str, Any]:
        agreed = terms(options)
        if tasks is None and (count or agreed != Terms()):
            raise UsageError("A pilot needs --tasks.")
        launched = None
        with launcher.crowd_running(), self.progress("Offering places") as progress:
            if tasks is not None:
                launched = self._offer(found, tasks, count, agreed, progress)
            while wait and found.state == Campaign.State.PILOTING:
                collect_once(found, progress)
                found.refresh_from_db()
                if found.state == Campaign.State.PILOTING:
                    time.sleep(POLL_SECONDS)
        report = pilot_report(found)
        if report is None:
            raise CampaignRefused(
                f"Campaign {found.name} has not had a pilot.",
                f"Run: manage.py pilot_campaign {found.name} --tasks N",
            )
        told = {"campaign": found.name, "state": found.state, "pilot": report.as_dict()}
        return told | (outcome(launched) if launched else {})

    def _offer(self, found: Campaign, tasks: int, count: bool, agreed: Terms, progress: Any) -> Launched:
        launched = pilot_campaign(
            found,
            tasks=tasks,
            counts=count,
            terms=agreed,
            who=self.who,
            tell=lambda check: self.note(in_lines(check)),
        )
        if launched.already:
            self.note(launched.already)
        job = ring_to_post_places(found)
        attend(job, progress=progress)
        return launched

    def show(self, result: dict[str, Any]) -> None:
        pilot = result["pilot"]
        rest = {key: value for key, value in result.items() if key not in ("pilot", "checks", "strategies")}
        figures = {key: value for key, value in pilot.items() if key not in ("gold", "comments")}
        if "cost" in rest:  # a pilot has no repeats
            rest["cost"] = f"${rest['cost']:,.2f}"
        super().show({**rest, **figures})
        for row in pilot["gold"]:
            line = f"gold pair {row['gold_pair']} ({row['qid']}): {row['passed']} of {row['answered']} passed"
            self.out.print(line, markup=False)
        for comment in pilot["comments"]:
            self.out.print(f"comment: {comment}", markup=False)
