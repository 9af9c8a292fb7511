from typing import Any

from config.commands.console import CommandParser
from config.spreadsheets import as_text
from leaderboard.management.arguments import runs_argument, runs_of, seed_argument
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.output.team_columns import with_teams
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.measure_names import KNOWN
from leaderboard.scoring.score_output import score_analysis
from leaderboard.scoring.scores import score
from pooling.collections.lookups import collection_named


class Command(AnalysisCommand):
    help = (
        "Score runs by measures under a qrel set or a version of the preference qrels. Means are over every "
        "query that the labels cover. A query that a run does not answer, or has no line for (trec_eval counts it "
        f"only with -c), gets the measure's worst value; ESL leaves it out. {KNOWN} Without (rel=g), passages are "
        "relevant from the qrel set's own lowest relevant grade."
    )
    example = 'manage.py score mine --qrels official --measures "RR@10 nDCG@10 AP P@10" --latex scores.tex'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--qrels",
            required=True,
            help="a qrel set, @n for version n of the preference qrels, or @n:order for its order of preference, "
            "which Compat can use",
        )
        parser.add_argument("--measures", default="RR@10", help="names, separated by spaces (default: RR@10)")
        runs_argument(parser)
        parser.add_argument("--per-query", action="store_true", help="also print every query's value")
        seed_argument(parser)
        super().arguments(parser)

    def analyse(
        self,
        *,
        collection: str,
        qrels: str,
        measures: str,
        runs: list[str],
        per_query: bool,
        seed: int,
        **options: Any,
    ) -> Analysis:
        chosen = collection_named(collection)
        with self.progress("Scoring runs") as update:
            scores = score(
                collection=chosen,
                labels=labels_named(chosen, qrels),
                runs=runs_of(chosen, runs),
                measures=measures,
                progress=update,
            )
        result = score_analysis(scores, per_query=per_query, seed=seed)
        return with_teams(result, {run.run_tag: run.team for run in scores.runs})

    def show(self, result: dict[str, Any]) -> None:
        if all(row["qid"] == "all" for row in result["rows"]):
            return super().show(result)
        for said in self.analysis.sentences:
            self.note(said)
        for row in result["rows"]:
            self.stdout.write(
                "\t".join([as_text(row["run"]), row["measure"], as_text(row["qid"]), _digits(row["value"])])
            )
        return None


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
