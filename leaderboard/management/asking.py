"""Arguments that the commands about preferences share."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.management.base import CommandParser

from config.console import UsageError
from judging.models import Campaign
from leaderboard import services
from leaderboard.settings_asked import Number
from pooling.models import Run


def runs_argument(parser: CommandParser) -> None:
    """``--runs``."""
    parser.add_argument("--runs", nargs="+", default=[], metavar="TAG", help="only these runs (default: all)")


def runs_of(campaign: Campaign, runs: Sequence[str]) -> list[Run]:
    """The campaign's collection's runs of these tags, or all; tags may be parted by commas."""
    return services.chosen_runs(campaign.collection, [tag for tags in runs for tag in tags.split(",") if tag])


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
