from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from config.commands.console import CommandParser
from judging.grading.graded_labels import grades_of
from judging.grading.topic_states import grading_summary, states_of
from judging.management.campaign_command import GradingCommand
from judging.models import GradedCampaign


class Command(GradingCommand):
    help = "Show a graded campaign's topics: state, assessor, judged, relevant, density, decision and reason."
    example = "manage.py grading_status mine graded"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--grades", action="store_true", help="list every grade with its source instead of the topics"
        )

    def act_on(self, found: GradedCampaign, *, grades: bool, **options: Any) -> dict[str, Any]:
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
        columns = ("qid", "state", "assessor", "pool", "judged", "relevant", "density")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            number = column in ("pool", "judged", "relevant", "density")
            table.add_column(column, justify="right" if number else "left", no_wrap=number or column == "qid")
        for one in listed:
            table.add_row(*(Text("–" if one[column] is None else str(one[column])) for column in columns))
        self.out.print(table)
        for one in listed:
            if said := one["reason"] or one["stage"]:
                self.out.print(f"{one['qid']}: {said}", markup=False)
