from typing import Any

from config.commands.console import CommandParser
from judging.management.campaign_command import CampaignCommand
from judging.management.check_lines import in_lines
from judging.management.commands.simulate_workers import simulation_arguments, simulation_settings, slips_told
from judging.models import Campaign
from judging.simulation.rehearsals import rehearse_campaign, truth_named
from judging.simulation.simulated_workers import simulation_result


class Command(CampaignCommand):
    help = (
        "Have simulated workers judge a copy of a campaign on the real pages, with tasks that people cannot see or "
        "take. Afterwards, a draft is marked as rehearsed; the copy is closed and kept."
    )
    example = (
        "manage.py rehearse_campaign spring --workers 25 --careless 4 --truth grades --error 0.1 --seed 7"
    )

    def arguments(self, parser: CommandParser) -> None:
        simulation_arguments(parser)

    def act_on(self, found: Campaign, *, truth: str, **options: Any) -> dict[str, Any]:
        who = self.who
        settings = simulation_settings(options, found)
        self.note(slips_told(settings, found))
        qrel_set = truth_named(found, truth)
        with self.progress("Simulated workers judge") as progress:
            rehearsed = rehearse_campaign(
                found,
                qrel_set,
                settings,
                who=who,
                progress=progress,
                tell=lambda check: self.note(in_lines(check)),
            )
        return {
            "campaign": found.name,
            "state": found.state,
            "rehearsal": rehearsed.copy.name,
            **simulation_result(rehearsed.done),
            "exclusions": rehearsed.status["exclusions"],
            "judgments": rehearsed.status["judgments"],
            "gold_failed": rehearsed.status["gold_failed"],
        }
