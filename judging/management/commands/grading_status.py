from typing import Any

from rich.table import Table

from config.commands.console import Command as BaseCommand, CommandParser
from judging.grading.graded_campaigns import graded_campaign_named
from judging.grading.graded_labels import grades_of
from judging.grading.topic_states import grading_summary, states_of
from pooling.services.finding import collection_named


class Command(BaseCommand):
    help = "Show a graded campaign's topics: state, assessor, judged, relevant, density, decision and reason."
    example = "manage.py grading_status mine graded"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument("campaign", metavar="NAME", help="name of the graded campaign")
        parser.add_argument(
            "--grades", action="store_true", help="list every grade with its source instead (with --json)"
        )

    def act(self, *, collection: str, campaign: str, grades: bool, **options: Any) -> dict[str, Any]:
        found = graded_campaign_named(collection_named(collection), campaign)
        if grades:
            return {"grades": list(grades_of(found))}
        states = states_of(found)
        return grading_summary(found, states) | {"listed": [one.as_dict() for one in states]}

    def show(self, result: dict[str, Any]) -> None:
        if "listed" not in result:
            for row in result["grades"]:
                self.out.print("\t".join(map(str, row.values())), markup=False)
            return
        listed = result.pop("listed")
        super().show({name: result[name] for name in ("name", "state", "pool", "judged", "budget", "topics")})
        columns = ("qid", "state", "stage", "assessor", "judged", "relevant", "density", "reason")
        table = Table(*columns)
        for one in listed:
            table.add_row(*("–" if one[column] is None else str(one[column]) for column in columns))
        self.out.print(table)
