"""Which software made a number: its version stands in every table, its sources in the key of all that is kept."""

from __future__ import annotations

from config.software import software_version as software_version
from config.software import sources_key

ROOMS = ("leaderboard", "pooling", "tournament")
"""Where values come from: reading runs, resolving judgments, measuring."""


def software_key() -> str:
    """Return the version, and eight digits that change with the sources that values come from."""
    return sources_key(*ROOMS)
