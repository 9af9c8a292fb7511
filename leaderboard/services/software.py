"""Which software made a number: its version stands in every table, its sources in the key of all that is kept."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "pyproject.toml"
ROOMS = ("leaderboard", "pooling", "tournament")
"""Where values come from: reading runs, resolving judgments, measuring."""


@cache
def software_version() -> str:
    """The project's version, as pyproject.toml has it."""
    version: str = tomllib.loads(PROJECT.read_text())["project"]["version"]
    return version


@cache
def software_key() -> str:
    """The version, and eight digits that change with the sources: who works on the code between two versions, or
    runs a version of their own, is not shown what other code made."""
    digest = hashlib.sha256()
    for room in ROOMS:
        for source in sorted((ROOT / room).rglob("*.py")):
            digest.update(f"{source.relative_to(ROOT)}\0".encode())
            digest.update(source.read_bytes())
    return f"{software_version()}+{digest.hexdigest()[:8]}"
