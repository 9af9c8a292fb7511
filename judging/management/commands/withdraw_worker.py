from typing import Any

from config.commands.console import CommandParser
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.people.rights import find_worker, withdraw_worker


class Command(CampaignCommand):
    help = (
        "Withdraw a worker's judgments from a campaign at the worker's request. Others repeat the tasks; completed "
        "work is paid. Published versions stay as they are; the next one leaves these judgments out."
    )
    example = "manage.py withdraw_worker spring 12"
    why = "the reason; kept with the decision"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("worker", help="the worker's number, or their id at the crowd")
        parser.add_argument(
            "--late", action="store_true", help="do it even after the campaign's withdrawal period"
        )

    def act_on(self, found: Campaign, *, worker: str, why: str, late: bool, **options: Any) -> dict[str, Any]:
        done = withdraw_worker(found, find_worker(worker), why=why, who=self.who, late=late)
        return {
            "campaign": found.name,
            "judgments_taken_out": done.judgments,
            "could_be_asked_until": done.until.date().isoformat(),
            "next": f"manage.py collect {found.name} offers the tasks again; "
            f"then manage.py resolve {found.name} and manage.py publish_qrels {found.name}.",
        }
