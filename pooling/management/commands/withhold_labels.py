from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.lookups import collection_named, qrel_set_named
from pooling.labels.withheld_labels import decimals_warnings, withhold_labels
from pooling.teams.submission_policies import policy_of


class Command(BaseCommand):
    help = (
        "Withhold a qrel set's labels: non-members see rounded scores under it, but no label, no grade, no passage "
        "found only in the labels, and no value of a single query unless the submission policy shows them. Members "
        "see everything."
    )
    example = "manage.py withhold_labels mine official"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("set_name", metavar="SET", help="name of the qrel set")
        parser.add_argument("--publish", action="store_true", help="show the labels to everybody again")
        parser.add_argument(
            "--why", default="", help="reason, shown with your name in the collection's activity"
        )

    def act(
        self, *, collection: str, set_name: str, publish: bool, why: str, **options: Any
    ) -> dict[str, Any]:
        found = qrel_set_named(collection_named(collection), set_name)
        changed = withhold_labels(found, withheld=not publish, who=self.who, why=why)
        if changed and not publish and found.collection.visibility == found.collection.Visibility.PUBLISHED:
            self.note("The collection is published: somebody may have read these labels before.")
        for warning in decimals_warnings(policy_of(found.collection)) if not publish else ():
            self.note(warning)
        return {"set": found.name, "withheld": found.withheld, "changed": changed}
