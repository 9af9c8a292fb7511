"""`manage.py leaderboard`: runs under official and under preference qrels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from rich import box
from rich.table import Table
from rich.text import Text

from config.console import Command as BaseCommand
from config.console import UsageError
from leaderboard import services
from leaderboard.management.asking import runs_argument, runs_of
from leaderboard.services.boards import SEED
from pooling.services.finding import collection_named

# A narrow terminal wraps the lines; numbers are never cut.
WIDTH = 150


class Command(BaseCommand):
    help = (
        "Every run's MRR@10 under a qrel set and under a version of the preference qrels, over the queries for "
        "which both know a relevant passage, with 95 % intervals (bootstrap over queries), ranks, shifts, "
        "shares of answered queries and judged tops, and Kendall's tau-b between the two orders. The perfect "
        "run returns the official qrel of every query and nothing else; it counts in no rank and no "
        "correlation."
    )
    example = "manage.py leaderboard mine --version 1 --official official --csv board.csv"

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # Django's own --version (of Django) would be in the way.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--version", type=int, dest="number", help="number of the version (default: the latest)"
        )
        parser.add_argument(
            "--official", metavar="SET", help="qrel set to set it against (default: the official one)"
        )
        runs_argument(parser)
        parser.add_argument("--csv", metavar="FILE", help="also write the table to this file")
        parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the bootstrap (default: {SEED})")

    def act(
        self,
        *,
        collection: str,
        number: int | None,
        official: str | None,
        runs: list[str],
        csv: str | None,
        seed: int,
        **options: Any,
    ) -> dict[str, Any]:
        if seed < 0:
            raise UsageError("the seed must be 0 or more")
        chosen = collection_named(collection)
        with self.progress("Scoring runs") as update:
            published = services.leaderboard(
                collection=chosen,
                version=services.version_numbered(chosen, number),
                official=services.official_set(chosen, official),
                runs=runs_of(chosen, runs),
                seed=seed,
                progress=update,
            )
        if csv:
            try:
                Path(csv).write_text(services.board_csv(published))
            except OSError as error:
                raise UsageError(f"{csv} can't be written: {error.strerror}") from None
        return services.as_dict(published)

    def show(self, result: dict[str, Any]) -> None:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("run", overflow="fold")
        for head in (
            f"{result['official_set']} [95 %]",
            "rank",
            "preference [95 %]",
            "rank",
            "shift",
            "answered",
            "judged tops",
        ):
            table.add_column(head, justify="right", no_wrap=True)
        for row in result["rows"]:
            table.add_row(*_cells(row), style="dim" if row["perfect"] else None)
        self.out.width = max(self.out.width, WIDTH)
        self.out.print(table)
        if result["simulated"]:
            self.out.print("The judges of this version were simulated.", style="bold")
        self.out.print(_summary(result), markup=False)


def _cells(row: dict[str, Any]) -> list[Any]:
    shift = row["shift"]
    return [
        Text(row["run"]),
        _estimate(row, "official"),
        str(row["rank_official"]),
        _estimate(row, "preference"),
        str(row["rank_preference"]),
        "=" if not shift else f"{'↑' if shift > 0 else '↓'} {abs(shift)}",
        f"{row['answered_official']:.1%} {row['answered_preference']:.1%}",
        f"{row['judged_tops']:.1%}",
    ]


def _estimate(row: dict[str, Any], name: str) -> str:
    return f"{row[name]:.4f} \\[{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"


def _summary(result: dict[str, Any]) -> str:
    tau = "not defined" if result["kendall_tau"] is None else f"{result['kendall_tau']:.4f}"
    return (
        f"{result['collection']}, version {result['version']}: {result['measure']} of {result['runs']} runs over "
        f"{result['queries']:,} queries ({result['open']} open, {result['singletons']} singletons) that "
        f"{result['official_set']} covers too (relevant from grade {result['official_min_grade']}).\n"
        f"Kendall's tau-b of the two orders: {tau}. Answered: official, then preference. Intervals: bootstrap, "
        f"{result['trials']:,} trials, seed {result['seed']}. Preferee {result['software']}."
    )
