"""Arguments that the commands about preferences share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.console import UsageError
from leaderboard import services
from leaderboard.settings_asked import Number
from pooling.models import Collection, Run
from pooling.services.finding import tags_meant


class OfAVersion(BaseCommand):
    """A command with ``--version``: Django's own one (of Django) would be in the way."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """The parser in which the later of two options of one name stays."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)


def version_argument(parser: CommandParser, *aliases: str) -> None:
    """``--version``: the number of a version of the preference qrels."""
    parser.add_argument(
        "--version",
        *aliases,
        type=int,
        dest="number",
        metavar="VERSION",
        help="number of the version (default: the latest)",
    )


def runs_argument(parser: CommandParser, what: str = "only these runs (default: all)") -> None:
    """``--runs``, which may be given several times."""
    parser.add_argument(
        "--runs",
        nargs="+",
        action="extend",
        default=[],
        metavar="TAG",
        help=f"{what}; tags are parted by blanks or commas, but a run whose tag has a comma is named whole",
    )


def runs_of(collection: Collection, words: Sequence[str]) -> list[Run]:
    """The collection's runs that ``--runs`` names, or all."""
    tags = tags_meant(collection, words)
    if words and not tags:
        raise UsageError("--runs names no run")
    return services.chosen_runs(collection, tags)


def count_argument(parser: CommandParser, asked: Number, what: str) -> None:
    """``--trials`` or ``--splits``: how many, within the limits that pages have, too."""
    parser.add_argument(
        f"--{asked.name}",
        type=int,
        default=asked.default,
        help=f"{what}, at most {asked.most:,} (default: {asked.default:,})",
    )


def check_count(asked: Number, number: int) -> None:
    """No more than make sense."""
    if not asked.allows(number):
        raise UsageError(f"--{asked.name} is {number:,}; give {asked.limits}")


def seed_argument(parser: CommandParser, default: int) -> None:
    """``--seed``."""
    parser.add_argument(
        "--seed", type=int, default=default, help=f"seed of the resampling (default: {default})"
    )


def check_seed(seed: int) -> None:
    """No negative seeds."""
    if seed < 0:
        raise UsageError("the seed must be 0 or more")
