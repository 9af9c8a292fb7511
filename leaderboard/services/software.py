"""Which software made a number: it stands in every table and in the key of every stored array."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@cache
def software_version() -> str:
    """The project's version, as pyproject.toml has it."""
    version: str = tomllib.loads(PROJECT.read_text())["project"]["version"]
    return version
