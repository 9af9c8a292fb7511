"""`manage.py score`: measures of runs under labels."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from rich import box
from rich.table import Table
from rich.text import Text

from config.console import Command as BaseCommand
from leaderboard import services
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.measures import KNOWN
from pooling.services.finding import collection_named

# A narrow terminal wraps the lines; numbers are never cut.
WIDTH = 150


class Command(BaseCommand):
    help = (
        "Score runs by measures under a qrel set or a version of the preference qrels. Means are over every "
        "query that the labels cover: a query that a run does not answer, or has no line for, gets the "
        f"measure's worst value (trec_eval does so only with -c). {KNOWN} Without (rel=g), relevant means the "
        "qrel set's own least grade."
    )
    example = 'manage.py score mine --qrels official --measures "RR@10 nDCG@10 AP P@10"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--qrels",
            required=True,
            help="a qrel set, @n for version n of the preference qrels, or @n:order for its order of preference, "
            "which Compat measures by",
        )
        parser.add_argument("--measures", default="RR@10", help="names, parted by blanks (default: RR@10)")
        runs_argument(parser)
        parser.add_argument("--per-query", action="store_true", help="also print every query's value")

    def act(
        self, *, collection: str, qrels: str, measures: str, runs: list[str], per_query: bool, **options: Any
    ) -> dict[str, Any]:
        chosen = collection_named(collection)
        with self.progress("Scoring runs") as update:
            scores = services.score(
                collection=chosen,
                labels=services.labels_named(chosen, qrels),
                runs=runs_of(chosen, runs),
                measures=measures,
                progress=update,
            )
        return services.scores_as_dict(scores, per_query=per_query)

    def show(self, result: dict[str, Any]) -> None:
        if any(row["qid"] != "all" for row in result["rows"]):
            for row in result["rows"]:
                self.stdout.write("\t".join([row["run"], row["measure"], row["qid"], _digits(row["value"])]))
            return
        measures = list(dict.fromkeys(row["measure"] for row in result["rows"]))
        values = {(row["run"], row["measure"]): row["value"] for row in result["rows"]}
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("run", overflow="fold")
        for measure in measures:
            table.add_column(measure, justify="right")
        for run in dict.fromkeys(row["run"] for row in result["rows"]):
            table.add_row(Text(run), *(_digits(values[run, measure]) for measure in measures))
        self.out.width = max(self.out.width, WIDTH)
        self.out.print(table)
        note = " Its judges were simulated." if result["simulated"] else ""
        self.note(f"{result['queries']:,} queries of {result['qrels']}.{note}")


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
