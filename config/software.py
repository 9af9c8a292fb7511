"""The software behind a result: its version and a digest of its sources."""

import hashlib
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@cache
def software_version() -> str:
    """Return the project's version from pyproject.toml."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return version


@cache
def sources_key(*rooms: str) -> str:
    """Return the version and eight hexadecimal digits that change whenever a source file of these apps changes.

    The digits keep people who change the code between two versions from seeing results of the previous code.
    """
    digest = hashlib.sha256()
    for room in rooms:
        for source in sorted((ROOT / room).rglob("*.py")):
            digest.update(f"{source.relative_to(ROOT)}\0".encode())
            digest.update(source.read_bytes())
    return f"{software_version()}+{digest.hexdigest()[:8]}"
