from pathlib import Path
from typing import Any

from config.commands.console import CommandParser, UsageError
from judging.campaign.campaign_settings import check_changeable
from judging.campaign.gold_pairs import import_gold, needed_gold
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign, GoldPair


class Command(CampaignCommand):
    help = "Import accepted gold pairs into a draft, one per line: qid relevant-pid off-topic-pid [kind]."
    example = "manage.py import_gold spring gold.txt"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help="one gold pair per line: qid relevant-pid off-topic-pid [kind], where kind is easy or hard",
        )

    def act_on(self, found: Campaign, *, file: Path, **options: Any) -> dict[str, Any]:
        if not file.is_file():
            raise UsageError(f"File {file} does not exist.")
        check_changeable(found)
        brought = import_gold(found, file)
        accepted = found.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
        return {"brought": brought, "accepted": accepted, "needed": needed_gold(found)}
