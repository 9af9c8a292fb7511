"""`manage.py private_board`: runs on private queries, and whether they fit the public ones too well."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from config.console import UsageError
from leaderboard import services
from leaderboard.divergence import ALPHA
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from pooling.services.finding import collection_named


class Command(AnalysisCommand):
    help = (
        "Runs on private and on public queries side by side, and for every team how its later runs gained over its "
        "first on either. It warns when public gains exceed private ones by more than chance allows. For the board's "
        "keepers: what it prints is not for teams."
    )
    example = "manage.py private_board mine --qrels official --measure RR@10"

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--qrels",
            default="",
            metavar="LABELS",
            help="a qrel set, @n, or @n:order with --measure Compat (default: the official set)",
        )
        parser.add_argument("--measure", default="RR@10", help="such as nDCG@10 (default: RR@10)")
        runs_argument(parser)
        parser.add_argument(
            "--alpha", type=float, default=ALPHA, help=f"of a team's tests (default: {ALPHA})"
        )

    def analyse(self, **options: Any) -> Analysis:
        if not 0 < options["alpha"] < 1:
            raise UsageError("alpha is between 0 and 1")
        collection = collection_named(options["collection"])
        with self.progress("Scoring runs") as update:
            return services.private_board(
                collection=collection,
                runs=runs_of(collection, options["runs"]),
                labels=options["qrels"],
                measure=options["measure"],
                alpha=options["alpha"],
                progress=update,
            )
