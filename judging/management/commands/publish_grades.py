from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from judging.grading.graded_campaigns import graded_campaign_named
from judging.grading.graded_labels import publish_labels
from pooling.services.finding import collection_named


class Command(BaseCommand):
    help = "Publish the accepted topics of a graded campaign as a qrel set of the collection."
    example = "manage.py publish_grades mine graded --set graded-1"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument("campaign", metavar="NAME", help="name of the graded campaign")
        parser.add_argument("--set", dest="set_name", required=True, metavar="SET", help="name of the labels")
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

    def act(
        self,
        *,
        collection: str,
        campaign: str,
        set_name: str,
        withheld: bool,
        incomplete: bool,
        **options: Any,
    ) -> dict[str, Any]:
        found = graded_campaign_named(collection_named(collection), campaign)
        made = publish_labels(
            found, set_name=set_name, withheld=withheld, incomplete=incomplete, who=self.who
        )
        return {
            "set": made.qrel_set.name,
            "labels": made.qrel_set.qrels.count(),
            "topics": len(made.topics),
            "withheld": withheld,
        }
