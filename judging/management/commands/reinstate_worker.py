from typing import Any

from config.commands.console import CommandParser
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.people.exclusions import reinstate_worker, worker_of


class Command(CampaignCommand):
    help = (
        "Undo a worker's exclusion. Work that nobody has repeated counts again. If others have repeated it, "
        "theirs still counts and the reinstated judgments are kept as surplus."
    )
    example = 'manage.py reinstate_worker spring 12 --why "the gold pair was ambiguous"'
    why = "the reason; kept with the decision"
    why_required = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "worker", help="the worker's number (see campaign_status), or their id at the crowd"
        )

    def act_on(self, found: Campaign, *, worker: str, why: str, **options: Any) -> dict[str, Any]:
        one = worker_of(found, worker)
        done = reinstate_worker(found, one, why=why, who=self.who)
        return {
            "campaign": found.name,
            "worker": one.pk,
            "tasks_counted_again": done.counted,
            "tasks_surplus": done.surplus,
            "tasks_other": done.other,
        }
