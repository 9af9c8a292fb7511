from pathlib import Path
from typing import Any

from config.commands.console import CommandParser, read_text_file
from config.process import launcher
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.workers.messages import addressees, send_message


class Command(CampaignCommand):
    help = (
        "Message workers who have submitted work, through the crowd; messages are kept with the campaign. A crowd "
        "delivers only to workers whose work was reviewed; workers it did not reach are listed with the reason. "
        "Each worker gets the same message once: running the command again sends it only to those it did not reach."
    )
    example = 'manage.py message_workers spring --subject "Thank you" --text thanks.txt'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--subject", required=True)
        parser.add_argument(
            "--text", required=True, type=Path, metavar="FILE", help="the message, as plain text"
        )
        who = parser.add_mutually_exclusive_group()
        who.add_argument(
            "--worker", type=int, action="append", default=[], help="a worker's number; can be repeated"
        )
        who.add_argument("--excluded", action="store_true", help="all excluded workers (default: everybody)")

    def act_on(
        self, found: Campaign, *, subject: str, text: Path, worker: list[int], excluded: bool, **options: Any
    ) -> dict[str, Any]:
        words = read_text_file(text)
        workers = addressees(found, workers=worker, excluded=excluded)
        with launcher.crowd_running():
            rows = send_message(found, workers, subject=subject, text=words, who=self.who)
        return {
            "campaign": found.name,
            "sent": sum(row.sent_at is not None for row in rows),
            "not_reached": {f"worker {row.worker_id}": row.failure for row in rows if row.failure},
        }
