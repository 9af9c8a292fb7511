"""Arguments shared by the commands that score or analyze runs."""

from argparse import ArgumentTypeError
from collections.abc import Sequence

from config.commands.console import CommandParser, UsageError
from leaderboard.scoring.chosen_runs import chosen_runs
from leaderboard.scoring.intervals import SEED
from pooling.collections.lookups import tags_meant
from pooling.models import Collection, Run


def runs_argument(parser: CommandParser) -> None:
    """Add ``--runs``, which can be passed several times."""
    parser.add_argument(
        "--runs",
        nargs="+",
        action="extend",
        default=[],
        metavar="TAG",
        help="only these runs (default: all); separate tags by spaces or commas; pass a tag that contains a comma "
        "separately",
    )


def runs_of(collection: Collection, words: Sequence[str]) -> list[Run]:
    """Return the collection's runs that ``--runs`` names, or all if it is not passed."""
    tags = tags_meant(collection, words)
    if words and not tags:
        raise UsageError("--runs is empty; name at least one run")
    return chosen_runs(collection, tags)


def seed_argument(parser: CommandParser) -> None:
    """Add ``--seed``, the seed of the resampling."""
    parser.add_argument(
        "--seed", type=_read_seed, default=SEED, help=f"seed of the resampling (default: {SEED})"
    )


def _read_seed(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError("the seed must be a whole number from 0")
    return int(text)
