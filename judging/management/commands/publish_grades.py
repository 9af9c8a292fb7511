from typing import Any

from config.commands.console import CommandParser
from judging.grading.graded_labels import publish_labels
from judging.management.campaign_command import GradingCommand
from judging.models import GradedCampaign


class Command(GradingCommand):
    help = "Publish the accepted topics of a graded campaign as a qrel set of the collection."
    example = "manage.py publish_grades mine graded --set graded-1"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--set", dest="set_name", required=True, metavar="SET", help="name of the qrel set"
        )
        parser.add_argument(
            "--withheld",
            action="store_true",
            help="everybody sees scores under these labels, but only members see the labels",
        )

        parser.add_argument(
            "--incomplete",
            action="store_true",
            help="leave out passages whose grades were withdrawn and that are not judged again yet",
        )

    def act_on(
        self, found: GradedCampaign, *, set_name: str, withheld: bool, incomplete: bool, **options: Any
    ) -> dict[str, Any]:
        made = publish_labels(
            found, set_name=set_name, withheld=withheld, incomplete=incomplete, who=self.who
        )
        return {
            "set": made.qrel_set.name,
            "labels": made.qrel_set.qrels.count(),
            "topics": len(made.topics),
            "withheld": withheld,
        }
