"""The options, the database and the report that benchmarks share.

Importing this module makes the product importable.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def options_parser(description: str | None, *, limits: bool = True) -> argparse.ArgumentParser:
    """Return a parser that shows the description as written; with ``limits``, it has ``--json`` and ``--check``."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if limits:
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument("--check", action="store_true", help="exit 1 if a limit is missed")
    return parser


def add_database_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database", default="", metavar="NAME", help="create or reuse this database, and keep it"
    )
    parser.add_argument(
        "--folder", default="", metavar="FOLDER", help="folder for the files of a kept database"
    )


def print_missed(missed: Sequence[str]) -> None:
    print("\n".join(f"MISSED: {what}" for what in missed) or "All limits are met.")


def print_json(figures: Any, missed: Sequence[str], **more: Any) -> None:
    print(json.dumps({"figures": figures, **more, "missed": missed}, indent=1))


def choose_services(folder: Path, database: str) -> None:
    """Set the environment for this PostgreSQL database and Redis, before Django reads its settings."""
    from tests import provision

    server = provision.postgres_address(os.environ.get("DATABASE_URL"), name="postgres").rpartition("/")[0]
    os.environ |= {
        "DATABASE_URL": f"{server}/{database}",
        "REDIS_URL": provision.redis_address(os.environ.get("REDIS_URL")),
        "CELERY_BROKER_URL": "memory://localhost/",
        "PREFEREE_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


@contextmanager
def chosen_database(*, keep: bool = False) -> Iterator[bool]:
    """Create the chosen PostgreSQL database unless it exists; yields whether it is new. Drop it unless it is kept."""
    import psycopg

    server, _, name = os.environ["DATABASE_URL"].replace("postgres://", "postgresql://").rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        new = not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if new:
            admin.execute(f'CREATE DATABASE "{name}"')
        try:
            yield new
        finally:
            if not keep:
                admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
