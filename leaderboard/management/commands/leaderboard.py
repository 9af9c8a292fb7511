from typing import Any

from config.commands.console import CommandParser, UsageError
from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import make_leaderboard
from leaderboard.board.default_measure import default_measure, set_default_measure
from leaderboard.management.arguments import runs_argument, runs_of, seed_argument
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from leaderboard.output.team_columns import with_teams
from leaderboard.scoring.chosen_runs import board_version, official_set
from leaderboard.scoring.measure_names import KNOWN
from pooling.collections.lookups import collection_named


class Command(AnalysisCommand):
    help = (
        "Show every run's MRR@10 (or --measure) under a qrel set and under a version of the preference qrels, over "
        "the queries for which both have a relevant passage, with 95% intervals (bootstrap over queries), ranks, "
        "shifts, shares of answered queries and judged tops, and Kendall's tau-b between the two orders. Before the "
        "first version is published, the board shows the qrel set alone. The perfect run returns the set's qrel "
        f"of every query and nothing else. It is left out of ranks and correlations. {KNOWN}"
    )
    example = "manage.py leaderboard mine --version 1 --official official --latex board.tex"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--version",
            type=int,
            dest="number",
            metavar="VERSION",
            help="number of the version (default: the latest)",
        )
        parser.add_argument(
            "--labels-alone",
            action="store_true",
            help="score the runs under the qrel set alone, without a version",
        )
        parser.add_argument(
            "--official", metavar="SET", help="qrel set to compare with (default: the leaderboard's)"
        )
        runs_argument(parser)
        parser.add_argument(
            "--measure",
            help="measure to rank runs by (default: the collection's, which is RR@10 unless changed); if lower is "
            "better, the lowest is first",
        )
        parser.add_argument(
            "--as-default",
            action="store_true",
            help="make --measure the default measure of the collection's leaderboard, for pages and the API too",
        )
        seed_argument(parser)
        super().arguments(parser)

    def analyse(
        self,
        *,
        collection: str,
        number: int | None,
        labels_alone: bool,
        official: str | None,
        runs: list[str],
        measure: str | None,
        as_default: bool,
        seed: int,
        **options: Any,
    ) -> Analysis:
        if labels_alone and number is not None:
            raise UsageError("--version and --labels-alone cannot be combined")
        if as_default and measure is None:
            raise UsageError("--as-default needs --measure")
        chosen = collection_named(collection)
        scored = runs_of(chosen, runs)
        with self.progress("Scoring runs") as update:
            published = make_leaderboard(
                collection=chosen,
                version=board_version(chosen, number, labels_alone=labels_alone),
                official=official_set(chosen, official),
                runs=scored,
                measure=measure or default_measure(chosen),
                seed=seed,
                progress=update,
            )
        if as_default and measure:
            set_default_measure(collection=chosen, name=measure, who=self.who)
        return with_teams(board_analysis(published), {run.run_tag: run.team for run in scored})
