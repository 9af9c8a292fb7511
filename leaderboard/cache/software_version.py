"""The version of the software, which tables state, and the key of its sources, which is part of cache keys."""

from config.software import software_version as software_version, sources_key

ROOMS = ("leaderboard", "pooling", "tournament")
"""The apps whose sources values depend on: they read runs, resolve judgments and compute measures."""


def software_key() -> str:
    """Return the version, followed by eight hexadecimal digits that change with the sources that values depend on."""
    return sources_key(*ROOMS)
