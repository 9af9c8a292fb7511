"""Arguments shared by commands about preferences."""

from collections.abc import Sequence

from config.commands.console import CommandParser, UsageError
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.models import Collection, Run
from pooling.services.finding import tags_meant


def version_argument(parser: CommandParser, *aliases: str) -> None:
    """Add ``--version``: the number of a version of the preference qrels."""
    parser.add_argument(
        "--version",
        *aliases,
        type=int,
        dest="number",
        metavar="VERSION",
        help="number of the version (default: the latest)",
    )


def runs_argument(parser: CommandParser, what: str = "only these runs (default: all)") -> None:
    """Add ``--runs``, which can be passed several times."""
    parser.add_argument(
        "--runs",
        nargs="+",
        action="extend",
        default=[],
        metavar="TAG",
        help=f"{what}; separate tags by spaces or commas; pass a tag that contains a comma separately",
    )


def runs_of(collection: Collection, words: Sequence[str]) -> list[Run]:
    """Return the collection's runs named by ``--runs``, or all."""
    tags = tags_meant(collection, words)
    if words and not tags:
        raise UsageError("--runs is empty; name at least one run")
    return chosen_runs(collection, tags)


def seed_argument(parser: CommandParser, default: int) -> None:
    """Add ``--seed``."""
    parser.add_argument(
        "--seed", type=int, default=default, help=f"seed of the resampling (default: {default})"
    )


def check_seed(seed: int) -> None:
    if seed < 0:
        raise UsageError("the seed must be 0 or more")
