from typing import Any

from config.commands.console import CommandParser
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign, Submission
from judging.people.exclusions import exclude_worker, worker_of


class Command(CampaignCommand):
    help = (
        "Exclude a worker: none of their judgments in this campaign count, and others repeat their tasks. "
        "They are still paid. reinstate_worker undoes this."
    )
    example = 'manage.py exclude_worker spring 12 --why "chose the left one 60 times in a row"'
    why = "the reason; kept with the decision"
    why_required = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "worker", help="the worker's number (see campaign_status), or their id at the crowd"
        )

    def act_on(self, found: Campaign, *, worker: str, why: str, **options: Any) -> dict[str, Any]:
        one = worker_of(found, worker)
        exclusion = exclude_worker(found, one, why=why, who=self.who)
        return {
            "campaign": found.name,
            "worker": one.pk,
            "judgments_that_count_no_more": found.judgments.filter(worker=one).count(),
            "tasks_still_open": found.submissions.filter(worker=one, state=Submission.State.HELD).count(),
            "reason": exclusion.reason,
            "next": f"manage.py collect {found.name} offers the tasks again; make run does this automatically.",
        }
