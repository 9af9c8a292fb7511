"""The software behind a number: every table states its version, and every cache key includes its sources."""

from config.software import software_version as software_version, sources_key

ROOMS = ("leaderboard", "pooling", "tournament")
"""Sources that values depend on: reading runs, resolving judgments, measuring."""


def software_key() -> str:
    """Return the version, and eight digits that change with the sources that values depend on."""
    return sources_key(*ROOMS)
